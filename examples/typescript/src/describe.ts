// What a node is, in a line: the types narrow on `node_type` and on names.

import type { V3Array, V3Codec, V3DataType, V3Node } from "../../../schemas/zom.js";

export function describe(node: V3Node): string {
  if (node.node_type === "array") {
    const compression = node.codecs.map(compressionOf).find((text) => text !== undefined);
    return `array ${shapeOf(node)} of ${nameOf(node.data_type)}, ${compression ?? "not compressed"}`;
  }
  const members = Object.keys(node.members ?? {}).length;
  return members > 0 ? `group of ${members}` : "group";
}

export function nameOf(type: V3DataType): string {
  if (typeof type === "string") return type;
  if (type.name === "struct") {
    return `{${type.configuration.fields.map((field) => `${field.name}: ${nameOf(field.data_type)}`).join(", ")}}`;
  }
  return type.name;
}

function shapeOf(array: V3Array): string {
  const lengths = array.shape.map((length, index) => {
    const name = array.dimension_names?.[index];
    return typeof name === "string" ? `${name}=${length}` : `${length}`;
  });
  return `(${lengths.join(", ")})`;
}

function compressionOf(codec: V3Codec): string | undefined {
  if (typeof codec === "string") return undefined;
  switch (codec.name) {
    case "gzip":
    case "zstd":
      return `${codec.name} ${codec.configuration.level}`;
    case "blosc":
      return `blosc ${codec.configuration.cname} ${codec.configuration.clevel}`;
    case "sharding_indexed":
      return codec.configuration.codecs.map(compressionOf).find((text) => text !== undefined);
    default:
      return undefined;
  }
}
