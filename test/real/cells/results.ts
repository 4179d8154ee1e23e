// The last measurement of every cell (results.json), and how a run changes it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Outcome } from './outcome.ts'

export interface MeasuredCell extends Outcome {
  /** When, to the minute, and how busy the machine was. */
  at: string
  load: number
}

/** One agent in one runtime. */
export interface Measured {
  /** Of the program, or of its adapter for ACP. */
  version: string
  /** Reported without ever being true; null: counted with the late ones. */
  falseStates: number | null
  /** Still reported more than a second after they were true. */
  lateStates: number
  cells: Record<string, MeasuredCell>
}

/** By agent, then by runtime. */
export type Results = Record<string, Record<string, Measured>>

const FILE = join(import.meta.dirname, '..', 'results.json')

export function readResults(): Results {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Results
}

export interface LifeResult extends Measured {
  agent: string
  runtime: string
}

/** Cells that were not run keep their last measurement, unless it is of another version. */
export function mergeResult(results: Results, { agent, runtime, ...life }: LifeResult): Results {
  const before = results[agent]?.[runtime]
  const kept = before?.version === life.version ? before.cells : {}
  const cells = { ...kept, ...life.cells }
  const isWhole = Object.keys(cells).length === Object.keys(life.cells).length
  const measured = { ...life, ...(isWhole || !before ? {} : worst(before, life)), cells }
  return { ...results, [agent]: { ...results[agent], [runtime]: measured } }
}

/** Only a whole run clears what an earlier one saw. */
function worst(before: Measured, life: Measured): Pick<Measured, 'falseStates' | 'lateStates'> {
  const { falseStates } = before
  return {
    falseStates: falseStates === null ? null : Math.max(falseStates, life.falseStates ?? 0),
    lateStates: Math.max(before.lateStates, life.lateStates),
  }
}

export function writeResults(results: Results): void {
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`)
}

/** What a life of the newest version did otherwise than the pinned one. */
export function differences(results: Results, { agent, runtime, ...life }: LifeResult): string[] {
  const pinned = results[agent]?.[runtime]
  const name = `${agent} ${pinned?.version ?? '?'} -> ${life.version} in ${runtime}`
  return Object.entries(life.cells).flatMap(([cell, { verdict, note }]) => {
    const before = pinned?.cells[cell]
    return before?.verdict === verdict
      ? []
      : [`${name}: ${cell}: ${before?.verdict ?? 'not run'} -> ${verdict} (${note})`]
  })
}
