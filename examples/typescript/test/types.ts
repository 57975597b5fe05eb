// What the types must refuse: tsc fails where a line below `@ts-expect-error` is accepted.

import type {
  V2Array,
  V2Node,
  V3Array,
  V3BytesCodec,
  V3Codec,
  V3Group,
  V3GzipCodec,
  V3Node,
  V3ShardingIndexedCodec,
} from "../../../schemas/zom.js";

type Equal<Left, Right> =
  (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
function proven<Claim extends true>(...claims: Claim[]): void {
  void claims;
}

// --- what is accepted ---------------------------------------------------------------------------

export const array: V3Array = {
  zarr_format: 3,
  node_type: "array",
  shape: [48, 181],
  data_type: "float32",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [24, 91] } },
  chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
  fill_value: "NaN",
  codecs: ["bytes", { name: "gzip", configuration: { level: 5 } }, { name: "crc32c" }],
  dimension_names: ["time", null],
};
export const hierarchy: V3Node = {
  zarr_format: 3,
  node_type: "group",
  members: { t2m: array, inner: { zarr_format: 3, node_type: "group", members: {} } },
};
export const old: V2Array = {
  zarr_format: 2,
  shape: [4],
  chunks: [2],
  dtype: [["a", "<i4"], ["b", "|u1", [2]]],
  compressor: { id: "zlib", level: 1 },
  fill_value: null,
  order: "C",
  filters: [{ id: "delta", dtype: "<i4" }],
};

// --- what is narrowed ---------------------------------------------------------------------------

export function narrow(node: V3Node, codec: V3Codec, other: V2Node): void {
  // @ts-expect-error a group has no shape, and nobody asked what the node is
  node.shape;
  if (node.node_type === "array") {
    proven<Equal<typeof node, V3Array>>(true);
    proven<Equal<typeof node.shape, number[]>>(true);
    // @ts-expect-error an array has no members
    node.members;
  } else {
    proven<Equal<typeof node, V3Group>>(true);
    const member = node.members?.["a"];
    proven<Equal<typeof member, V3Node | undefined>>(true);
  }
  // @ts-expect-error a codec may be a name alone
  codec.configuration;
  if (typeof codec !== "string" && codec.name === "gzip") {
    proven<Equal<typeof codec, V3GzipCodec>>(true);
    proven<Equal<typeof codec.configuration.level, number>>(true);
    // @ts-expect-error gzip has no clevel
    codec.configuration.clevel;
  }
  if (typeof codec !== "string" && codec.name === "sharding_indexed") {
    proven<Equal<(typeof codec.configuration.codecs)[0], V3Codec>>(true);
  }
  if ("shape" in other) proven<Equal<typeof other, V2Array>>(true);
}

// --- what is refused ----------------------------------------------------------------------------

// @ts-expect-error a level is a number
export const level: V3Codec = { name: "gzip", configuration: { level: "5" } };
// @ts-expect-error gzip needs its configuration
export const bare: V3Codec = { name: "gzip" };
// @ts-expect-error nor does its name stand alone
export const name: V3Codec = "gzip";
// @ts-expect-error endian is little or big
export const endian: V3BytesCodec = { name: "bytes", configuration: { endian: "middle" } };
// @ts-expect-error crc32c has no parameters
export const checksum: V3Codec = { name: "crc32c", configuration: { level: 1 } };
// @ts-expect-error no codec is called so
export const unknown: V3Codec = { name: "gzipp", configuration: { level: 5 } };
// @ts-expect-error no data type is called so
export const type: V3Array = { ...array, data_type: "float33" };
// @ts-expect-error an array has at least one codec
export const none: V3Array = { ...array, codecs: [] };
// @ts-expect-error a typing error
export const typo: V3Array = { ...array, dimension_name: ["time"] };
// @ts-expect-error node_type is missing
export const untyped: V3Node = { zarr_format: 3, members: {} };
// @ts-expect-error a v2 node is no member of a v3 group
export const mixed: V3Group = { zarr_format: 3, node_type: "group", members: { old } };
// @ts-expect-error a field is a pair or a triple
export const fields: V2Array = { ...old, dtype: [["a"]] };
export const shard: V3ShardingIndexedCodec["configuration"] = {
  chunk_shape: [2],
  codecs: ["bytes"],
  // @ts-expect-error also inside a shard
  index_codecs: [{ name: "zstd", configuration: { level: true } }],
};
