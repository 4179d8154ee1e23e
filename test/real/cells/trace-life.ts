// What really happened and what was reported, in the order of time: to explain a false or late state.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FalseState } from './find-false-states.ts'
import type { Life } from './session-life.ts'

/** Nothing without AO_REAL_TRACE. */
export function traceLife(life: Life, name: string, wrong: readonly FalseState[]): void {
  const directory = process.env.AO_REAL_TRACE
  if (directory === undefined) return
  const began = life.states()[0]?.at ?? 0
  const lines = [
    ...life.states().map(({ at, activity, status }) => ({ at, text: `ao     ${activity || '-'} (${status})` })),
    ...life.model.steps.flatMap(({ askedAt, answeredAt, verb, reply, isComplete, userTexts }) => {
      const how = 'error' in reply ? `HTTP ${reply.error}` : 'tool' in reply ? `calls ${reply.tool}` : 'says'
      const about = `${verb ?? '-'} ${JSON.stringify((userTexts.at(-1) ?? '').slice(-40))}`
      const answer = {
        at: answeredAt ?? askedAt,
        text: `model  ${how}${isComplete ? '' : ' (not complete)'}: ${about}`,
      }
      return [{ at: askedAt, text: `model  is asked ${about}` }, answer]
    }),
    ...life.sentAt().map((at) => ({ at, text: 'sent' })),
    ...wrong.map(({ at, activity, truth, isLate }) => ({
      at,
      text: `WRONG  ${activity} was ${isLate ? 'late' : 'false'}: it was ${truth}`,
    })),
  ].sort((a, b) => a.at - b.at)
  mkdirSync(directory, { recursive: true })
  const text = lines.map(({ at, text: what }) => `${((at - began) / 1000).toFixed(3)} ${what}\n`)
  writeFileSync(join(directory, `${name}.txt`), `began ${new Date(began).toISOString()}\n${text.join('')}`)
}
