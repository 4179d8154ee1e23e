// The results for people: a table per runtime, a row per cell on which agents differ, a column per agent, what all of them do, and
// what is not as it should be. Pure.
import { AGENT_TABLE } from '../../../src/contract/agents/agent-table.ts'
import type { Cell, Outcome } from './outcome.ts'
import type { Measured, MeasuredCell, Results } from './results.ts'

export const MEASURED_BEGIN =
  '<!-- Written by `npm run test:real` from test/real/results.json; again with: node test/real/write-measured.ts -->'
export const MEASURED_END = '<!-- The end of what was measured. -->'

const MARKS: Readonly<Record<Outcome['verdict'], string>> = { yes: '✔', partly: '◐', limit: '◇', no: '✘', none: '–' }
const RUNTIMES = ['tmux', 'process', 'acp'] as const
const SHOWN_CHARS = 160

interface Column {
  title: string
  measured: Measured
}

export function renderMeasured(results: Results, cells: readonly Cell[]): string {
  const parts = RUNTIMES.flatMap((runtime) => {
    const columns = columnsOf(results, runtime)
    return columns.length === 0 ? [] : [`### Runtime \`${runtime}\`\n\n${renderRuntime(columns, cells)}`]
  })
  return [MEASURED_BEGIN, ...parts, MEASURED_END].join('\n\n')
}

function columnsOf(results: Results, runtime: string): Column[] {
  return AGENT_TABLE.flatMap(({ name, title }) => {
    const measured = results[name]?.[runtime]
    return measured ? [{ title, measured }] : []
  })
}

function renderRuntime(columns: readonly Column[], cells: readonly Cell[]): string {
  const row = (texts: string[]) => `| ${texts.join(' | ')} |`
  const head = [
    row(['', ...columns.map(({ title }) => title)]),
    row(['---', ...columns.map(() => '---')]),
    row(['version', ...columns.map(({ measured }) => measured.version)]),
    row(['measured (UTC), load', ...columns.map(({ measured }) => whenOf(measured))]),
  ]
  const isPlain = ({ name }: Cell) => columns.every(({ measured }) => mark(measured.cells[name]) === MARKS.yes)
  const plain = cells.filter(isPlain).map(({ name }) => name)
  const body = cells
    .filter((cell) => !isPlain(cell))
    .map(({ name }) => row([name, ...columns.map(({ measured }) => mark(measured.cells[name]))]))
  const foot = [
    row(['**✔ or ◇**', ...columns.map(({ measured }) => `**${sumOf(measured)}**`)]),
    row(['**false states**', ...columns.map(({ measured }) => `**${measured.falseStates ?? 'not counted apart'}**`)]),
    row(['**states more than 1 s late**', ...columns.map(({ measured }) => `**${measured.lateStates}**`)]),
  ]
  const everywhere = plain.length > 0 ? ['', `${MARKS.yes} with every agent: ${plain.join(' · ')}.`] : []
  return [...head, ...body, ...foot, ...everywhere, ...remarks(columns)].join('\n')
}

function mark(cell: MeasuredCell | undefined): string {
  if (!cell) return ''
  return cell.latencyMs === undefined
    ? MARKS[cell.verdict]
    : `${MARKS[cell.verdict]} ${(cell.latencyMs / 1000).toFixed(2)}`
}

function whenOf({ cells }: Measured): string {
  const all = Object.values(cells)
  const loads = all.map(({ load }) => load).sort((a, b) => a - b)
  const times = all.map(({ at }) => at).sort()
  return `${times[0]?.replace('T', ' ') ?? ''}, ${loads[0] ?? 0} to ${loads.at(-1) ?? 0}`
}

function sumOf({ cells }: Measured): string {
  const all = Object.values(cells).filter(({ verdict }) => verdict !== 'none')
  return `${all.filter(({ verdict }) => verdict === 'yes' || verdict === 'limit').length} of ${all.length}`
}

/** In words: everything that is not as it should be. The limits of agents are listed with the agents. */
function remarks(columns: readonly Column[]): string[] {
  const lines = columns.flatMap(({ title, measured }) =>
    Object.entries(measured.cells).flatMap(([name, { verdict, note }]) =>
      verdict !== 'partly' && verdict !== 'no' ? [] : [`- ${MARKS[verdict]} ${title}, ${name}: ${shown(note)}`],
    ),
  )
  return lines.length === 0 ? [] : ['', ...lines]
}

function shown(note: string): string {
  const line = note.replaceAll('\n', ' ').replaceAll(/([<|`])/g, '\\$1')
  return line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}…` : line
}
