package jsonrpc

import "github.com/go-json-experiment/json/jsontext"

// MaxBatch is how many messages one batch may hold.
const MaxBatch = 50

// IsBatch tells whether a body is an array, as far as its first byte says.
func IsBatch(body []byte) bool {
	s := scanner{b: body}
	return s.peek() == '['
}

// Split gives the elements of a batch, each of them valid JSON and perhaps no message: [Decode]
// says. What it returns is an [*Error]: CodeParse when the body is not JSON, CodeInvalidRequest
// when it is no array, or an empty one, or one of more than MaxBatch elements.
func Split(body []byte) ([]jsontext.Value, error) {
	s := scanner{b: body}
	if s.peek() != '[' {
		return nil, Errorf(CodeInvalidRequest, "a batch is a JSON array")
	}
	s.i++ // an element's depth counts from itself
	elements := make([]jsontext.Value, 0, 4)
	for first := true; s.item(first); first = false {
		if len(elements) == MaxBatch {
			return nil, Errorf(CodeInvalidRequest, "a batch holds at most %d messages", MaxBatch)
		}
		at, ok := s.valueSpan()
		if !ok {
			return nil, s.err()
		}
		elements = append(elements, body[at.from:at.to])
	}
	if s.fault != faultNone || !s.end() || !s.namesDiffer() {
		return nil, s.err()
	}
	if len(elements) == 0 {
		return nil, Errorf(CodeInvalidRequest, "an empty batch")
	}
	return elements, nil
}
