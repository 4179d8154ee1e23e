// Nobody has to believe a table: the figures of a run are computed again from its raw log and compared, one by one.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { computeFigures, type Figures, WALL } from './figures.ts'
import { parseLog } from './log.ts'

export const LOG = 'events.jsonl'
const FIGURES = 'figures.json'
const MOST_APART = 0.05
/** Of runs from before it was counted, which took each check that did not end for red. */
const EARLIER: Partial<Figures> = { unknownCommits: 0 }

interface Kept {
  /** Of the log, so that a change that no figure shows is noticed too. */
  sha256: string
  figures: Figures
}

export function keepFigures(directory: string): Figures {
  const text = readFileSync(join(directory, LOG), 'utf8')
  const figures = computeFigures(parseLog(text))
  writeFileSync(
    join(directory, FIGURES),
    `${JSON.stringify({ sha256: sha256(text), figures } satisfies Kept, null, 2)}\n`,
  )
  return figures
}

/** Each sentence is a difference; none: the figures are those of the log. */
export function verifyRun(directory: string): string[] {
  const text = readFileSync(join(directory, LOG), 'utf8')
  const kept = readKept(directory)
  const differences = compareExactly({ ...EARLIER, ...kept.figures }, computeFigures(parseLog(text)))
  return kept.sha256 === sha256(text)
    ? differences
    : [...differences, 'the log is not the one the figures were made of']
}

function compareExactly(kept: Figures, computed: Figures): string[] {
  const names = new Set([...Object.keys(kept), ...Object.keys(computed)]) as Set<keyof Figures>
  return [...names].flatMap((name) => {
    const [was, is] = [JSON.stringify(kept[name]), JSON.stringify(computed[name])]
    return was === is ? [] : [`${name}: ${was} was reported, the log says ${is}`]
  })
}

/** Two runs with one seed: counted figures may be 5 % apart. */
export function compareRuns(one: Figures, other: Figures): string[] {
  return (Object.keys(one) as Array<keyof Figures>).flatMap((name) => {
    const [a, b] = [one[name], other[name]]
    if (WALL.has(name) || a === b) return []
    if (typeof a !== 'number' || typeof b !== 'number') return [`${name}: ${a} and ${b}`]
    const apart = Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b))
    return apart <= MOST_APART ? [] : [`${name}: ${a} and ${b}, ${Math.round(apart * 100)} % apart`]
  })
}

export function readKept(directory: string): Kept {
  return JSON.parse(readFileSync(join(directory, FIGURES), 'utf8')) as Kept
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
