// Schedules with the real store, git and process runtime, on a clock that the test moves.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const CONFIG = (when: string, more = '') => `lifecycle: { pollSeconds: 1 }
defaults: { notifiers: [], runtime: process }
projects:
  app:
    path: .
    agent: demo
    schedules:
      tidy: { when: '${when}', prompt: 'demo: finish done'${more} }
`

let world: AoWorld

beforeAll(() => buildAo(), 60_000)
beforeEach(() => {
  world = createAoWorld({ config: CONFIG('* * * * *') })
})
afterEach(async () => {
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
})

interface Listed {
  schedules: Array<{
    name: string
    paused: boolean
    next: string | null
    invalid: string | null
    last: { due: string; state: string; session?: string; why?: string } | null
  }>
}

const listed = async () => (await world.json<Listed>(['schedule', 'ls'])).schedules[0]!
const sessions = async () =>
  (await world.json<{ sessions: Array<{ id: string }> }>(['session', 'ls'])).sessions.map(({ id }) => id)

/** Of those that are listed: which a schedule started for this time. */
async function startedFor(due: string): Promise<string[]> {
  const records = join(await stateFile(), '..', 'sessions')
  return (await sessions()).filter((id) => readFileSync(join(records, id), 'utf8').includes(`schedule=tidy@${due}`))
}

/** As if it had been seen an hour ago, with these runs since. */
async function seenBefore(runs: object[] = []): Promise<void> {
  await world.ao(['schedule', 'pause', 'tidy'])
  await world.ao(['schedule', 'resume', 'tidy'])
  const file = await stateFile()
  const since = new Date(Date.now() - 3_600_000).toISOString()
  writeFileSync(file, JSON.stringify({ tidy: { since, runs } }))
}

async function stateFile(): Promise<string> {
  const home = join(world.temp.home, '.agent-orchestrator')
  return join(home, readdirSync(home).find((name) => name.endsWith('-app'))!, 'schedules.json')
}

describe('a schedule', () => {
  it('needs consent, like everything that a repository makes ao do by itself', async () => {
    const { stdout, stderr } = await world.ao(['config', 'trust'])
    expect(stdout + stderr).toContain('starts agents at certain times by itself')
    expect((await world.ao(['schedule', 'run', 'tidy'])).code).not.toBe(0)
    expect(await sessions()).toEqual([])
  })

  it('starts what is due once, and counts what was missed', async () => {
    await world.agree()
    await seenBefore()
    await world.ao(['start'])
    const last = await waitFor('a start', async () => {
      const row = await listed()
      return row.last?.state === 'started' ? row.last : undefined
    })
    expect(last).toMatchObject({ missed: expect.any(Number), session: 'app-1' })
    expect(await startedFor(last.due)).toEqual(['app-1'])
  })

  it('starts nothing on top of itself, and nothing while it is paused', async () => {
    await world.agree()
    expect((await world.ao(['schedule', 'run', 'tidy'])).stdout).toContain('SESSION=app-1')
    await world.ao(['schedule', 'pause', 'tidy'])
    expect(await listed()).toMatchObject({ paused: true })
    await world.ao(['schedule', 'resume', 'tidy'])
    const file = await stateFile()
    const { tidy } = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ tidy: { ...tidy, since: '2020-01-01T00:00:00Z', runs: [] } }))
    await world.ao(['start'])
    const last = await waitFor('the skip', async () => (await listed()).last ?? undefined)
    expect(last).toMatchObject({ state: 'skipped', why: 'app-1 has not ended yet' })
    expect(await sessions()).toHaveLength(1)
  })

  it('finds the session of a start that was announced before a crash instead of starting another', async () => {
    await world.agree()
    await world.ao(['schedule', 'run', 'tidy'])
    const file = await stateFile()
    const { tidy } = JSON.parse(readFileSync(file, 'utf8'))
    const [run] = tidy.runs
    writeFileSync(file, JSON.stringify({ tidy: { ...tidy, runs: [{ due: run.due, state: 'starting' }] } }))
    await world.ao(['start'])
    await waitFor('it to be settled', async () => {
      const { tidy: now } = JSON.parse(readFileSync(file, 'utf8'))
      return now.runs[0].state === 'started' && now.runs[0].session === 'app-1'
    })
    expect(await startedFor(run.due)).toEqual(['app-1'])
  })

  it.each(['announced', 'started'])('that is killed once it is %s starts its work once', async (point) => {
    await world.agree()
    const env = { AO_FAILPOINT: `schedule.${point}` }
    expect((await world.ao(['schedule', 'run', 'tidy'], { env })).signal).toBe('SIGKILL')
    await world.ao(['schedule', 'pause', 'tidy'])
    await world.ao(['start'])
    const last = await waitFor('it to be settled', async () => {
      const row = await listed()
      return row.last?.state === 'started' ? row.last : undefined
    })
    expect(await startedFor(last.due)).toEqual([last.session])
    expect(await sessions()).toHaveLength(1)
  })

  it.each(['61 * * * *', '* * * *', '$(touch x) * * * *'])('is refused when %s is not a time', async (when) => {
    writeFileSync(join(world.repo, 'agent-orchestrator.yaml'), CONFIG(when))
    const checked = await world.ao(['config', 'validate'])
    const invalid = checked.code === 0 ? (await listed()).invalid : checked.stdout + checked.stderr
    expect(invalid).toMatch(/is not a time|must be a time/)
  })
})
