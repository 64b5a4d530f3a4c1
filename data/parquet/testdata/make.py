"""Writes the files of this folder: python make.py (pyarrow 26.0.1, polars 2.1.0).

The tables people and many are what parquet_test.go says they are, in every
encoding and compression; each of the others has one column, c, that is refused.
"""

import decimal
import os

import polars
import pyarrow as pa
import pyarrow.parquet as pq

os.chdir(os.path.dirname(os.path.abspath(__file__)))

people = pa.table({
    "age": pa.array([39, -1, 0], pa.int32()),
    "weight": pa.array([70.5, None, 70.5], pa.float64()),
    "long": pa.array([-5, 1 << 40, 0], pa.int64()),
    "count": pa.array([(1 << 64) - 1, 0, 1], pa.uint64()),
    "small": pa.array([0.5, -2, 0], pa.float32()),
    "happy": pa.array([True, False, True]),
    "price": pa.array([decimal.Decimal(x) for x in ("12.50", "-0.05", "0.00")], pa.decimal128(18, 2)),
    "job": pa.array(["clerk", None, "cook"]),
    "few": pa.array([255, None, 3], pa.uint8()),
})


def write(name, table, **options):
    options.setdefault("compression", "none")
    pq.write_table(table, name + ".parquet", store_decimal_as_integer=True, store_schema=False, **options)


for codec in ("none", "snappy", "gzip", "zstd", "brotli", "lz4"):
    write("people-" + codec, people, compression=codec)
write("people-groups", people, row_group_size=2, compression="snappy")
write("people-checksum", people, write_page_checksum=True)
write("people-v2", people, data_page_version="2.0", compression="zstd")
polars.from_arrow(people.drop_columns(["price"])).write_parquet("people-polars.parquet")

rows = 1100
many = pa.table({
    "n": pa.array([i * i % 1009 - 500 for i in range(rows)], pa.int64()),
    "step": pa.array([None if i % 7 == 0 else 3 * i for i in range(rows)], pa.int32()),
    "wild": pa.array([(i * 0x9E3779B97F4A7C15) % (1 << 64) - (1 << 63) for i in range(rows)], pa.int64()),
    "x": pa.array([None if i % 5 == 4 else i / 8 for i in range(rows)], pa.float64()),
    "f": pa.array([i / 4 for i in range(rows)], pa.float32()),
    "b": pa.array([None if i % 11 == 0 else i % 3 == 1 for i in range(rows)]),
    "t": pa.array([None if i % 13 == 0 else "text %d" % (i // 3) for i in range(rows)]),
    "none": pa.array([None] * rows, pa.float64()),
    "y": pa.array(["c%d" % (i % 3) for i in range(rows)]),
})
pages = {"data_page_size": 2000, "write_batch_size": 64, "row_group_size": 700}
write("many-dict", many, compression="snappy", **pages)
write("many-dict-v2", many, compression="lz4", data_page_version="2.0", **pages)
write("many-plain", many, use_dictionary=False, compression="zstd", **pages)
ways = {"n": "DELTA_BINARY_PACKED", "step": "DELTA_BINARY_PACKED", "wild": "DELTA_BINARY_PACKED",
        "x": "BYTE_STREAM_SPLIT", "f": "BYTE_STREAM_SPLIT", "b": "RLE",
        "t": "DELTA_BYTE_ARRAY", "none": "PLAIN", "y": "DELTA_LENGTH_BYTE_ARRAY"}
for version in ("1.0", "2.0"):
    write("many-delta-v" + version[0], many, use_dictionary=False, column_encoding=ways, compression="zstd",
          data_page_version=version, **pages)
ways |= {"n": "BYTE_STREAM_SPLIT", "step": "BYTE_STREAM_SPLIT", "t": "DELTA_LENGTH_BYTE_ARRAY", "y": "DELTA_BYTE_ARRAY"}
write("many-split", many, use_dictionary=False, column_encoding=ways, compression="zstd", **pages)
polars.from_arrow(many).write_parquet("many-polars.parquet", data_page_size=2000, row_group_size=700)


def refused(name, values, kind, **options):
    write("refused-" + name, pa.table({"c": pa.array(values, kind)}), **options)


refused("list", [[1]], pa.list_(pa.int64()))
refused("struct", [{"a": 1}], pa.struct([("a", pa.int64())]))
refused("map", [[("a", 1)]], pa.map_(pa.string(), pa.int64()))
refused("uuid", [b"0123456789abcdef"], pa.uuid())
refused("float16", [1.5], pa.float16())
refused("int96", [1], pa.timestamp("ns"), use_deprecated_int96_timestamps=True)
refused("decimal", [decimal.Decimal("1.5")], pa.decimal128(30, 1))
pq.write_table(pa.table([pa.array([1]), pa.array([2])], names=["c", "c"]), "refused-twice.parquet", store_schema=False)

write("bytes", pa.table({"c": pa.array([b"text", b"\xff"], pa.binary())}))
write("fixed", pa.table({"c": pa.array([b"ab", None, b"cd"], pa.binary(2))}))
write("times", pa.table({
    "ms": pa.array([1234], pa.timestamp("ms")), "day": pa.array([19000], pa.date32()),
    "us": pa.array([5], pa.time64("us")),
}))
write("empty", people.slice(0, 0))
