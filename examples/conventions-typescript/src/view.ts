// Nodes as rules see them: one view of Zarr v2, v3 and the draft of v3.

import { dtypeOf } from "./datatype.js";
import { byCodePoints, isObject, member, type Json, type JsonObject, type Path } from "./json.js";

export type Form = "v2" | "v3" | "draft";
export type Kind = "array" | "group";

/** Stands for a node of which nobody knows whether it is there: the members of a group were not read. */
export const UNKNOWN = Symbol("unknown");

/** A fact of a node, and where it stands in the node's own document. */
export interface Fact {
  path: Path;
  value: Json;
}

export class Node {
  readonly path: string;
  readonly kind: Kind | null;
  readonly form: Form;
  readonly document: JsonObject;
  readonly attributes: JsonObject;
  /** undefined where they are not known. */
  members: Map<string, Node> | undefined;

  constructor(
    readonly name: string,
    readonly parent: Node | null,
    document: Json,
  ) {
    this.form = formOf(document);
    this.kind = isObject(document) ? kindOf(document, this.form) : null;
    this.document = isObject(document) ? document : {};
    const attributes = member(this.document, "attributes");
    this.attributes = isObject(attributes) ? attributes : {};
    this.path = parent === null ? "/" : `${parent.path.replace(/\/+$/u, "")}/${name}`;
  }

  get isArray(): boolean {
    return this.kind === "array";
  }

  /** The members of a kind, in the order of the code points of their names. */
  of(kind: Kind): Node[] {
    const found = [...(this.members?.values() ?? [])].filter((node) => node.kind === kind);
    return found.sort((left, right) => byCodePoints(left.name, right.name));
  }

  get shape(): number[] | null {
    return this.isArray ? lengths(member(this.document, "shape")) : null;
  }

  get dimsPath(): Path {
    return this.form === "v3" ? ["dimension_names"] : ["attributes", "_ARRAY_DIMENSIONS"];
  }

  /** What stands in the place of dimension names, of whatever type; null where nothing does. */
  get rawDims(): Json {
    const from = this.form === "v3" ? this.document : this.attributes;
    return member(from, this.form === "v3" ? "dimension_names" : "_ARRAY_DIMENSIONS") ?? null;
  }

  /** The dimension names; null where there is no list of names and nulls. */
  get dims(): (string | null)[] | null {
    const found = this.rawDims;
    const fits = Array.isArray(found) && found.every((name) => typeof name === "string" || name === null);
    return fits ? (found as (string | null)[]) : null;
  }

  get dtype(): string | null {
    return this.isArray ? dtypeOf(this.document, this.form) : null;
  }

  get dtypePath(): Path {
    return [this.form === "v2" ? "dtype" : "data_type"];
  }

  get chunks(): number[] | null {
    if (this.form === "v2") return lengths(member(this.document, "chunks"));
    const grid = member(this.document, "chunk_grid");
    if (!isObject(grid)) return null;
    const inner = member(grid, "configuration") ?? grid;
    return isObject(inner) ? lengths(member(inner, "chunk_shape")) : null;
  }

  /** The fact that selectors call `@name`; undefined where it is not known. */
  fact(name: string): Fact | undefined {
    const { path, value } = this.facts(name);
    return value === null ? undefined : { path, value };
  }

  private facts(name: string): Fact {
    const names = (kind?: Kind): Json => {
      if (this.members === undefined) return null;
      return kind === undefined ? [...this.members.keys()] : this.of(kind).map((node) => node.name);
    };
    switch (name) {
      case "dims":
        return { path: this.dimsPath, value: this.isArray ? this.rawDims : null };
      case "dtype":
        return { path: this.dtypePath, value: this.dtype };
      case "fill_value":
        return { path: ["fill_value"], value: member(this.document, "fill_value") ?? null };
      case "shape":
        return { path: ["shape"], value: this.shape };
      case "ndim":
        return { path: [], value: this.shape?.length ?? null };
      case "chunks":
        return { path: [], value: this.chunks };
      case "name":
        return { path: [], value: this.name };
      case "kind":
        return { path: [], value: this.kind };
      case "format":
        return { path: [], value: this.form };
      case "members":
        return { path: [], value: names() };
      default:
        return { path: [], value: names(name === "arrays" ? "array" : "group") };
    }
  }

  /** The node at a path from here or, with a leading slash, from the root; `..` leads to the group above. */
  at(path: string): Node | typeof UNKNOWN | null {
    let node: Node = path.startsWith("/") ? this.root : this;
    for (const step of path.split("/")) {
      if (step === "" || step === ".") continue;
      if (step === "..") {
        if (node.parent === null) return null;
        node = node.parent;
        continue;
      }
      if (node.members === undefined) return node.isArray ? null : UNKNOWN;
      const found = node.members.get(step);
      if (found === undefined) return null;
      node = found;
    }
    return node;
  }

  get root(): Node {
    let node: Node = this;
    while (node.parent !== null) node = node.parent;
    return node;
  }

  /** This node and all below it, groups before their members. */
  *walk(): Generator<Node> {
    const waiting: Node[] = [this];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      yield node;
      if (node.members !== undefined) waiting.push(...[...node.members.values()].reverse());
    }
  }

  /** The groups above it, the nearest first. */
  *ancestors(): Generator<Node> {
    for (let node = this.parent; node !== null; node = node.parent) yield node;
  }
}

function lengths(value: Json | undefined): number[] | null {
  return Array.isArray(value) && value.every((each) => Number.isInteger(each)) ? (value as number[]) : null;
}

function formOf(document: Json): Form {
  if (!isObject(document)) return "v3";
  if (member(document, "zarr_format") === 2) return "v2";
  const marked = Object.hasOwn(document, "zarr_format") || Object.hasOwn(document, "node_type");
  return marked ? "v3" : "draft";
}

function kindOf(document: JsonObject, form: Form): Kind | null {
  const has = (name: string): boolean => Object.hasOwn(document, name);
  if (form === "v3") {
    const said = member(document, "node_type");
    return said === "array" || said === "group" ? said : null;
  }
  const others = form === "v2" ? has("chunks") && has("dtype") : has("data_type") && has("chunk_grid");
  return has("shape") || others ? "array" : "group";
}

/** The view of a hierarchy in one document, as ZEP 6 nests it. */
export function documentTree(document: Json): Node {
  const own = (value: Json): Json => {
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([name]) => name !== "members"));
  };
  const root = new Node("", null, own(document));
  const waiting: [Json, Node][] = [[document, root]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [value, node] = next;
    const members = isObject(value) ? member(value, "members") : undefined;
    if (!isObject(members) || node.isArray) continue;
    node.members = new Map();
    for (const [name, inner] of Object.entries(members)) {
      const made = new Node(name, node, own(inner));
      node.members.set(name, made);
      waiting.push([inner, made]);
    }
  }
  return root;
}

