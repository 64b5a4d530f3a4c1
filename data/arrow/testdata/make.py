"""Writes the files of this folder: python make.py (pyarrow 26.0.1, polars 2.1.0).

The table people is what arrow_test.go says it is, in every layout and
compression; each of those that are refused has one column, c.
"""

import datetime
import decimal
import os

import polars
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.ipc as ipc

os.chdir(os.path.dirname(os.path.abspath(__file__)))

people = pa.table({
    "age": pa.array([39, -1, 0], pa.int32()),
    "weight": pa.array([70.5, None, 70.5], pa.float64()),
    "long": pa.array([-5, 1 << 40, 0], pa.int64()),
    "count": pa.array([(1 << 64) - 1, 0, 1], pa.uint64()),
    "small": pa.array([0.5, -2, 0], pa.float32()),
    "happy": pa.array([True, False, True]),
    "price": pa.array([decimal.Decimal(x) for x in ("12.50", "-0.05", "0.00")], pa.decimal128(18, 2)),
    "job": pa.array(["clerk", None, "cook, and a good one"]),
    "few": pa.array([255, None, 3], pa.uint8()),
})
job = people.schema.get_field_index("job")


def write(name, table, stream=False, options=None, chunk=None):
    new = ipc.new_stream if stream else ipc.new_file
    with new(name, table.schema, options=options) as out:
        out.write_table(table, max_chunksize=chunk)


def with_job(kind):
    return people.set_column(job, "job", people["job"].cast(kind))


write("people.arrow", people)
write("people.arrows", people, stream=True, chunk=2)
write("people-batches.arrow", people, chunk=1)
write("people-lz4.arrow", people, options=ipc.IpcWriteOptions(compression="lz4"))
write("people-zstd.arrow", people, options=ipc.IpcWriteOptions(compression="zstd"))
write("people-v4.arrow", people, options=ipc.IpcWriteOptions(metadata_version=ipc.MetadataVersion.V4))
write("people-large.arrow", with_job(pa.large_string()))
write("people-view.arrow", with_job(pa.string_view()))
write("people-binary.arrow", with_job(pa.binary()))
write("people-dict.arrow", with_job(pa.dictionary(pa.int8(), pa.string())))
write("people-dict-large.arrow", with_job(pa.dictionary(pa.uint32(), pa.large_string())),
      options=ipc.IpcWriteOptions(compression="zstd"))
feather.write_feather(people, "people.feather", compression="lz4")
polars.from_arrow(people).write_ipc("people-polars.arrow")
polars.from_arrow(people).write_ipc("people-polars-zstd.arrow", compression="zstd")

# A stream whose dictionary grows, then is another.
kind = pa.dictionary(pa.int32(), pa.string())
schema = pa.schema([("c", kind)])
with ipc.new_stream("grows.arrows", schema, options=ipc.IpcWriteOptions(emit_dictionary_deltas=True)) as out:
    for values, indices in ((["a", "b"], [1, 0]), (["a", "b", "d"], [2, None, 1]), (["x"], [0])):
        out.write_batch(pa.record_batch([pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), values)], schema))

rows = 700
many = pa.table({
    "n": pa.array([None if i % 7 == 0 else i - 300 for i in range(rows)], pa.int16()),
    "x": pa.array([None if i % 5 == 4 else i / 8 for i in range(rows)], pa.float64()),
    "b": pa.array([None if i % 11 == 0 else i % 3 == 1 for i in range(rows)]),
    "t": pa.array([None if i % 13 == 0 else "a text of number %d" % (i // 3) for i in range(rows)]),
    "none": pa.nulls(rows),
    "y": pa.array(["c%d" % (i % 3) for i in range(rows)]).dictionary_encode(),
})
write("many.arrow", many, chunk=256)
write("many.arrows", many, stream=True, options=ipc.IpcWriteOptions(compression="lz4"))

write("types.arrow", pa.table({
    "i8": pa.array([-128], pa.int8()), "u16": pa.array([65535], pa.uint16()), "u32": pa.array([4294967295], pa.uint32()),
    "half": pa.array([-1.5], pa.float16()), "tiny": pa.array([2.0**-24], pa.float16()),
    "d32": pa.array([decimal.Decimal("1.25")], pa.decimal32(9, 2)),
    "d64": pa.array([decimal.Decimal("-1.25")], pa.decimal64(18, 2)),
    "wide": pa.array([decimal.Decimal("-123456789012345678901234567890.5")], pa.decimal128(38, 1)),
    "day": pa.array([19000], pa.date32()), "date": pa.array([datetime.date(2020, 1, 2)], pa.date64()),
    "ms": pa.array([1234], pa.timestamp("ms")), "ns": pa.array([5], pa.timestamp("ns", "UTC")),
    "s": pa.array([7], pa.time32("s")), "us": pa.array([8], pa.time64("us")), "span": pa.array([9], pa.duration("s")),
    "fixed": pa.array([b"ab"], pa.binary(2)), "empty": pa.array([""]),
    "numbers": pa.array([2.5]).dictionary_encode(),
}))


def refused(name, values, kind):
    write("refused-%s.arrow" % name, pa.table({"c": pa.array(values, kind)}))


refused("list", [[1]], pa.list_(pa.int64()))
refused("struct", [{"a": 1}], pa.struct([("a", pa.int64())]))
refused("map", [[("a", 1)]], pa.map_(pa.string(), pa.int64()))
refused("decimal", [decimal.Decimal("1.5")], pa.decimal256(50, 1))
refused("interval", [(1, 2, 3)], pa.month_day_nano_interval())
write("refused-ends.arrow", pa.table({"c": pa.RunEndEncodedArray.from_arrays([2], [1.5])}))
write("refused-twice.arrow", pa.table([pa.array([1]), pa.array([2])], names=["c", "c"]))
write("bytes.arrow", pa.table({"c": pa.array([b"text", b"\xff"], pa.binary())}))
write("empty.arrow", people.slice(0, 0))
feather.write_feather(people.select(["age", "job"]), "refused.feather", version=1)
