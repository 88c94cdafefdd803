package main

import (
	"bytes"
	"io"
	"strings"
)

// gap is the blanks between two columns.
const gap = 2

// table is text in columns as a terminal shows them: cells are divided by tabs, and a wide character takes two places. The
// last cell of a line is in no column, so that a long one moves nothing.
type table struct {
	to   io.Writer
	text bytes.Buffer
}

func newTable(to io.Writer) *table { return &table{to: to} }

// Write takes lines. Nothing is passed on before Flush.
func (t *table) Write(text []byte) (int, error) { return t.text.Write(text) }

// Flush prints what was taken.
func (t *table) Flush() error {
	var rows [][]string
	for line := range strings.Lines(t.text.String()) {
		rows = append(rows, strings.Split(line, "\t"))
	}
	widths := widthsOf(rows)
	var out bytes.Buffer
	for _, row := range rows {
		for i, cell := range row {
			out.WriteString(cell)
			if i < len(row)-1 {
				out.WriteString(strings.Repeat(" ", widths[i]+gap-textWidth(cell)))
			}
		}
	}
	t.text.Reset()
	_, err := t.to.Write(out.Bytes())
	return err
}

// widthsOf is how wide each column is: as its widest cell.
func widthsOf(rows [][]string) (widths []int) {
	for _, row := range rows {
		for i, cell := range row[:len(row)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], textWidth(cell))
		}
	}
	return widths
}
