// A session in a place, from `ao spawn` on, and what tests of failures do to it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type AoWorld, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

export interface Listed {
  sessions: Array<{
    id: string
    status: string
    activity: string | null
    place: string | null
    branch: string
    paused?: string
  }>
}

export interface Wanted {
  /** YAML of `places`. */
  places: string
  place?: string
  /** `process` by default. */
  runtime?: string
  env?: NodeJS.ProcessEnv
  /** Takes what has to be done at the end of the test. */
  onEnd(end: () => Promise<unknown>): void
}

export async function worldWithPlaces({ places, runtime = 'process', env, onEnd }: Wanted): Promise<AoWorld> {
  const config = `port: 0
defaults: { agent: demo, runtime: ${runtime} }
places: ${places}
projects:
  app: { path: ., tracker: local, scm: local }
`
  const ao = createAoWorld({ config })
  Object.assign(ao.temp.env, env)
  onEnd(() => ao.temp.cleanup())
  await ao.ao(['config', 'trust', '--yes'])
  return ao
}

/** Its first turn is over. */
export async function startSession(wanted: Wanted): Promise<AoWorld> {
  const ao = await worldWithPlaces(wanted)
  const spawned = await ao.ao(['spawn', '--place', wanted.place ?? 'there', '--prompt', 'Write a note'])
  expect(spawned.stdout, spawned.stderr).toContain('SESSION=app-1')
  await ready(ao)
  return ao
}

export async function session(ao: AoWorld): Promise<Listed['sessions'][number]> {
  return (await ao.json<Listed>(['status'])).sessions[0]!
}

export function ready(ao: AoWorld): Promise<unknown> {
  return waitFor('the end of the turn', async () => (await session(ao)).activity === 'ready', 60_000)
}

export async function why(ao: AoWorld): Promise<string> {
  return (await ao.ao(['why', 'app-1'])).stdout
}

/** The session's directory in its place, which only its own host names. */
export function hostWords(ao: AoWorld): string {
  const state = join(ao.temp.home, '.agent-orchestrator')
  const file = readdirSync(state, { recursive: true, encoding: 'utf8' }).find((name) =>
    /app-1\/place-[^l][^/]*\.json$/.test(name),
  )
  return `serve ${JSON.parse(readFileSync(join(state, file!), 'utf8')).directory}`
}
