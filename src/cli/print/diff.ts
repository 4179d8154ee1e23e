// A diff for people. The colours are ours, added after the files' own control characters were made visible.
import { showHiddenInLines } from '../../core/text/show-hidden.ts'
import type { Style } from './style.ts'

export function renderDiff(diff: string, style: Style): string {
  return showHiddenInLines(diff)
    .split('\n')
    .map((line) => paint(line, style))
    .join('\n')
}

function paint(line: string, style: Style): string {
  if (/^(?:diff --git|index |--- |\+\+\+ )/.test(line)) return style.bold(line)
  if (line.startsWith('@@')) return style.cyan(line)
  if (line.startsWith('+')) return style.green(line)
  return line.startsWith('-') ? style.red(line) : line
}
