package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"cloud.google.com/go/storage"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/gcsx"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// remoteFile is an object of a store, which is read from any place: the pieces of a large
// one are read by several workers, each of which asks for its own bytes. The file systems of
// Beam read objects from the beginning alone.
type remoteFile struct {
	io.ReadCloser
	ctx  context.Context
	name string
}

// Seek goes to a place from the beginning, by another request.
func (r *remoteFile) Seek(offset int64, whence int) (int64, error) {
	if whence != io.SeekStart {
		return 0, errors.New("objects are sought from the beginning")
	}
	next, err := openFrom(r.ctx, r.name, offset)
	if err != nil {
		return 0, err
	}
	_ = r.Close() // of what was left unread
	r.ReadCloser = next
	return offset, nil
}

// openFrom opens an object at a place.
func openFrom(ctx context.Context, name string, offset int64) (io.ReadCloser, error) {
	if strings.HasPrefix(name, "gs://") {
		return openGCS(ctx, name, offset)
	}
	return openS3(ctx, name, offset)
}

func openS3(ctx context.Context, name string, offset int64) (io.ReadCloser, error) {
	bucket, key, ok := strings.Cut(strings.TrimPrefix(name, "s3://"), "/")
	if !ok {
		return nil, fmt.Errorf("%s names no object", name)
	}
	c, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, err
	}
	out, err := s3.NewFromConfig(c).GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: &key,
		Range: aws.String(fmt.Sprintf("bytes=%d-", offset))})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out.Body, nil
}

func openGCS(ctx context.Context, name string, offset int64) (io.ReadCloser, error) {
	bucket, object, err := gcsx.ParseObject(name)
	if err != nil {
		return nil, err
	}
	c, err := gcsx.NewClient(ctx, storage.ScopeReadOnly)
	if err != nil { // public objects need no account
		if c, err = gcsx.NewUnauthenticatedClient(ctx); err != nil {
			return nil, err
		}
	}
	r, err := c.Bucket(bucket).Object(object).NewRangeReader(ctx, offset, -1)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), c.Close())
	}
	return withClient{r, c}, nil
}

// withClient closes what it is read by with itself.
type withClient struct {
	io.ReadCloser
	by io.Closer
}

// Close closes both.
func (w withClient) Close() error { return errors.Join(w.ReadCloser.Close(), w.by.Close()) }
