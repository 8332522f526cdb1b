package hooks

import (
	"fmt"
	"strings"
)

const diffContext = 3

// maxDiffLines bounds the table of a comparison; longer files are shown as
// replaced between their common ends.
const maxDiffLines = 3000

// unifiedDiff shows what changes in a file, as `diff -u` does.
func unifiedDiff(path, before, after string) string {
	if before == after {
		return ""
	}
	a, b := diffLines(before), diffLines(after)
	steps := diffSteps(a, b)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", path, path)
	for from := 0; from < len(steps); {
		if steps[from].mark == ' ' {
			from++
			continue
		}
		start := max(0, from-diffContext)
		end, quiet := from, 0
		for end < len(steps) && quiet <= 2*diffContext {
			if steps[end].mark == ' ' {
				quiet++
			} else {
				quiet = 0
			}
			end++
		}
		end = min(len(steps), end-max(0, quiet-diffContext))
		writeHunk(&out, steps[start:end])
		from = end
	}
	return out.String()
}

type diffStep struct {
	mark byte // ' ' both, '-' only before, '+' only after
	line string
	a, b int // 1-based place of the line, or of the next one
}

func diffLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

func writeHunk(out *strings.Builder, steps []diffStep) {
	before, after := 0, 0
	for _, s := range steps {
		if s.mark != '+' {
			before++
		}
		if s.mark != '-' {
			after++
		}
	}
	fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@\n", steps[0].a, before, steps[0].b, after)
	for _, s := range steps {
		out.WriteByte(s.mark)
		out.WriteString(s.line + "\n")
	}
}

func diffSteps(a, b []string) []diffStep {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	midA, midB := a[head:len(a)-tail], b[head:len(b)-tail]
	var steps []diffStep
	ai, bi := 1, 1
	add := func(mark byte, line string) {
		steps = append(steps, diffStep{mark, line, ai, bi})
		if mark != '+' {
			ai++
		}
		if mark != '-' {
			bi++
		}
	}
	for _, l := range a[:head] {
		add(' ', l)
	}
	common := commonLines(midA, midB)
	i, j := 0, 0
	for i < len(midA) || j < len(midB) {
		switch {
		case i < len(midA) && j < len(midB) && midA[i] == midB[j]:
			add(' ', midA[i])
			i++
			j++
		case i < len(midA) && (j == len(midB) || common == nil || common[i+1][j] >= common[i][j+1]):
			add('-', midA[i])
			i++
		default:
			add('+', midB[j])
			j++
		}
	}
	for _, l := range a[len(a)-tail:] {
		add(' ', l)
	}
	return steps
}

// commonLines is the table of the longest common lines from each place on; nil
// when it would be too large.
func commonLines(a, b []string) [][]int {
	if len(a) > maxDiffLines || len(b) > maxDiffLines {
		return nil
	}
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}
