// The outcomes as a Markdown table: a row per cell, a column per agent and runtime. Pure.
import type { Cell, Outcome } from './cells.ts'

const MARKS: Readonly<Record<Outcome['verdict'], string>> = { yes: '✔', partly: '◐', no: '✘', none: '–' }

export function printTable(
  cells: readonly Cell[],
  outcomes: ReadonlyMap<string, ReadonlyMap<string, Outcome>>,
  load: number,
): string {
  const columns = [...outcomes.keys()]
  const row = (texts: string[]) => `| ${texts.join(' | ')} |`
  const rows = cells.map(({ name }) =>
    row([name, ...columns.map((column) => describe(outcomes.get(column)?.get(name)))]),
  )
  const all = [...outcomes.values()]
    .flatMap((column) => [...column.values()])
    .filter(({ verdict }) => verdict !== 'none')
  const wrong = all.reduce((sum, { falseStates = 0 }) => sum + falseStates, 0)
  const late = all.filter(({ latencyMs = 0 }) => latencyMs > 1_000).length
  const sum = `${all.filter(({ verdict }) => verdict === 'yes').length} of ${all.length} cells ✔, ${late} states later than 1 s, ${wrong} false states, load ${load.toFixed(1)}`
  return [row(['cell', ...columns]), row(['---', ...columns.map(() => '---')]), ...rows, '', sum].join('\n')
}

function describe(outcome: Outcome | undefined): string {
  return outcome ? `${MARKS[outcome.verdict]} ${outcome.note.replaceAll('|', '\\|').replaceAll('\n', ' ')}` : '–'
}
