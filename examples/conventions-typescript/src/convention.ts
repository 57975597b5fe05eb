// Conventions as their JSON Schemas describe them: `x-zom-convention` and `x-zom-rules`.

import { holds, type Condition } from "./conditions.js";
import { isObject, member, type Json, type JsonObject, type Path } from "./json.js";
import { parseSelector, select } from "./selector.js";
import { Site } from "./site.js";
import type { Form, Kind, Node } from "./view.js";

export type Level = "MUST" | "SHOULD" | "NOTE";
export type Profile = "text" | "schema" | "strict" | "full";

export interface Rule {
  id: string;
  level: Level;
  text: string;
  source: "text" | "schema" | "both";
  check: string;
  params: JsonObject;
  portable: boolean;
  expressed_in: "schema" | "x-zom-rules" | "documentation";
  each?: string;
  when?: Condition[];
  on?: Kind;
  fix?: string;
  link?: string;
}

export interface Identity {
  id: string;
  version?: string;
  uuid?: string;
  aliases?: string[];
  dead_aliases?: string[];
  owns?: string[];
  foreign?: string[];
  on: Kind[];
  formats: Form[];
  found_by: "keys" | "signs" | "function";
  signs?: Condition[][];
  everywhere?: boolean;
  version_at?: string[];
  assumed?: boolean;
  inherit: "none" | "children" | "descendants";
  parts?: string[];
}

export class Convention {
  readonly is: Identity;
  readonly rules: Rule[];
  readonly name: string;

  constructor(readonly schema: JsonObject) {
    const identity = member(schema, "x-zom-convention");
    const rules = member(schema, "x-zom-rules");
    if (!isObject(identity) || !Array.isArray(rules)) {
      throw new Error("expected the schema of a convention, with x-zom-convention and x-zom-rules");
    }
    this.is = identity as unknown as Identity;
    this.rules = rules as unknown as Rule[];
    this.name = this.is.version === undefined ? this.is.id : `${this.is.id}/${this.is.version}`;
  }

  /** The rules that are asked for at a node of a kind. */
  rulesOf(kind: Kind | null, profile: Profile): Rule[] {
    const stated = profile === "strict" ? "schema" : profile;
    return this.rules.filter(
      (rule) =>
        (profile === "full" || rule.source === stated || rule.source === "both") &&
        (rule.on === undefined || kind === null || rule.on === kind),
    );
  }

  /** Whether it could be at the node at all. */
  canBeAt(node: Node): boolean {
    return (node.kind === null || this.is.on.includes(node.kind)) && this.is.formats.includes(node.form);
  }

  /** Whether it is at the node, in whichever version. */
  isAt(node: Node): boolean {
    if (!this.canBeAt(node)) return false;
    if (this.isDeclaredAt(node)) return true;
    if (this.is.found_by !== "signs") return this.hasKeysAt(node);
    const site = new Site(node, node);
    return (this.is.signs ?? []).some((sign) => sign.every((condition) => holds(condition, site)));
  }

  private hasKeysAt(node: Node): boolean {
    const keys = Object.keys(node.attributes);
    return !keys.some((key) => this.is.foreign?.includes(key)) && keys.some((key) => this.owns(key));
  }

  private owns(key: string): boolean {
    return (this.is.owns ?? []).some((own) =>
      own.endsWith("*") ? key.startsWith(own.slice(0, -1)) : key === own,
    );
  }

  /** Whether `zarr_conventions` names it: by its uuid, or else by a URL; a name never does. */
  private isDeclaredAt(node: Node): boolean {
    const declared = member(node.attributes, "zarr_conventions");
    const urls = [...(this.is.aliases ?? []), ...(this.is.dead_aliases ?? [])];
    return (
      Array.isArray(declared) &&
      declared.filter(isObject).some((entry) => {
        const uuid = member(entry, "uuid");
        if (uuid !== undefined) return this.is.uuid !== undefined && uuid === this.is.uuid;
        return ["schema_url", "spec_url"].some((name) => {
          const url = member(entry, name);
          return typeof url === "string" && urls.includes(url);
        });
      })
    );
  }

  /** The version that the node says it follows; undefined where it says none. */
  versionAt(node: Node): Json | undefined {
    for (const selector of this.is.version_at ?? []) {
      const [found] = select(node.attributes, parseSelector(selector).steps);
      if (found !== undefined) return found.value;
    }
    return undefined;
  }
}

export interface Finding {
  rule: string;
  level: Level;
  /** The path of the node in whose document it stands. */
  node: string;
  /** From that node's own document. */
  pointer: string;
  convention: string;
}

export type Place = { node: Node; path: Path };
