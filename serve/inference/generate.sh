#!/bin/sh
# Writes inference.pb.go. It needs protoc, or Python with grpcio-tools, and leaves the file
# as it is where there is neither.
set -e
if command -v protoc >/dev/null 2>&1; then
	compile=protoc
elif python3 -c 'import grpc_tools' >/dev/null 2>&1; then
	compile='python3 -m grpc_tools.protoc'
else
	echo 'serve/inference: there is no protoc and no grpcio-tools; inference.pb.go was not written anew'
	exit 0
fi
plugin=$(mktemp -d)
trap 'rm -rf "$plugin"' EXIT
go build -o "$plugin/protoc-gen-go" google.golang.org/protobuf/cmd/protoc-gen-go
$compile -I. --plugin="$plugin/protoc-gen-go" --go_out=paths=source_relative:. inference.proto
# The compiler's version is not kerf's: any that reads the file will do.
sed -i.before '/^\/\/ 	protoc  *v/d' inference.pb.go
rm -f inference.pb.go.before
