// Files that a crash, a disk or a person has damaged.
import { spawn } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { observeHealth } from '../../src/agh/daemon/routes/observe-health.ts'
import {
  getSession,
  listSessions,
  repairTranscript,
  resume,
  shutdown,
  startRepairs,
  stopSession,
} from '../../src/agh/runtime.ts'
import { isSound, openHistory } from '../../src/agh/store/open-history.ts'
import { type SessionEvent, toSessionEvent } from '../../src/contract/agh/events.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { processState } from '../../src/lib/process/process-identity.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, createAghHome } from './agh-home.ts'
import { hostDirectoryOf, hostIdentity } from './host-of.ts'

let agh: AghHome
beforeEach(() => {
  agh = createAghHome({ agent: 'resume' })
})
afterEach(async () => {
  expect(await agh.cleanup()).toEqual([])
})

const fileOf = (id: string, name: string) => join(agh.context.paths.sessions, id, name)

async function stoppedSession(prompt: string): Promise<string> {
  const { id } = await agh.create()
  await agh.prompt(id, prompt)
  await stopSession(agh.context, id, null)
  return id
}

describe('meta.json', () => {
  it.each([
    ['cut in half', (text: string) => text.slice(0, text.length / 2)],
    ['empty', () => ''],
    ['of zeros', (text: string) => '\0'.repeat(text.length)],
    ['of another kind', () => '{"schema":"other.v9"}'],
    [
      'of a newer version',
      () => '{"schema":"agh.session.v9"}',
      'was written by a newer agh (agh.session.v9)',
      'FORMAT_NEWER',
    ],
  ])(
    'that is %s is named as damaged, stays as it is, and harms no other session',
    async (_what, damage, why = 'cannot be understood: ', code = 'METADATA_DAMAGED') => {
      const damaged = await stoppedSession('say one')
      const other = await stoppedSession('say two')
      const file = fileOf(damaged, 'meta.json')
      const text = damage(readFileSync(file, 'utf8'))
      writeFileSync(file, text)
      await startRepairs(agh.restart()).ready()
      const list = await listSessions(agh.context)
      expect(list.sessions.map(({ id }) => id)).toEqual([other])
      expect(list.damaged).toEqual([
        { session_id: damaged, problem: expect.stringContaining('its history can be read') },
      ])
      expect(await observeHealth(agh.context)).toMatchObject({ status: 'degraded', damaged: [{ session_id: damaged }] })
      expect((await agh.events(damaged)).map(({ type }) => type)).toContain('agent_message')
      const refused = { code, message: expect.stringMatching(/^[^\n]{1,300}$/) }
      await expect(getSession(agh.context, damaged)).rejects.toMatchObject(refused)
      await expect(getSession(agh.context, damaged)).rejects.toThrow(why)
      await expect(resume(agh.context, damaged)).rejects.toMatchObject({ code })
      expect(readFileSync(file, 'utf8')).toBe(text)
      expect(agh.logged.join('\n')).toContain(damaged)
    },
  )

  it('that is missing is named too, and its history is read', async () => {
    const damaged = await stoppedSession('say one')
    rmSync(fileOf(damaged, 'meta.json'))
    await startRepairs(agh.restart()).ready()
    const { sessions, damaged: named } = await listSessions(agh.context)
    expect(sessions).toEqual([])
    expect(named).toEqual([
      { session_id: damaged, problem: expect.stringContaining('meta.json is missing; its history can be read') },
    ])
    expect((await agh.events(damaged)).map(({ type }) => type)).toContain('agent_message')
    await expect(agh.events('sess-0')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  it('N10 that is damaged while its agent runs: the list and doctor say so, and a stop ends agent and host', async () => {
    const [damaged, missing] = [(await agh.create()).id, (await agh.create()).id]
    const agents = [damaged, missing].map((id) => agh.context.live.get(id)!.process!.identity!)
    const context = agh.restart()
    writeFileSync(fileOf(damaged, 'meta.json'), '{')
    rmSync(fileOf(missing, 'meta.json'))
    await startRepairs(context).ready()
    expect(agents.map(processState)).toEqual(['alive', 'alive'])
    for (const { session_id, problem } of (await listSessions(context)).damaged) {
      expect(problem).toContain(`its agent is still running, end it with: agh session stop ${session_id}`)
    }
    const stop = (id: string) => stopSession(context, id, null)
    await expect(stop(damaged)).rejects.toMatchObject({
      code: 'METADATA_DAMAGED',
      message: expect.stringContaining(`The agent of session ${damaged} was stopped`),
    })
    expect(agents.map(processState)).toEqual(['dead', 'alive'])
    expect(readdirSync(fileOf(damaged, '.')).filter((name) => name.startsWith('host-'))).toEqual([])
    // A second stop finds nothing to end.
    await expect(stop(damaged)).rejects.toThrow('cannot be understood')
    await shutdown(context)
    expect(agents.map(processState)).toEqual(['dead', 'dead'])
  })

  it('that was changed behind the back of the daemon is seen in the next list', async () => {
    const id = await stoppedSession('say one')
    expect((await listSessions(agh.context)).sessions[0]).toMatchObject({ id, name: null })
    const file = fileOf(id, 'meta.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"name": null', '"name": "by hand"'))
    expect((await listSessions(agh.context)).sessions[0]).toMatchObject({ id, name: 'by hand' })
  })
})

describe('the start of the daemon', () => {
  it('S4.98 S4.100 repairs a crashed session once and does not open its history at the next start', async () => {
    const { id } = await agh.create()
    await agh.prompt(id, 'say one')
    process.kill(agh.context.live.get(id)!.process!.identity!.pid, 'SIGKILL')
    await waitFor('its end', async () => (await agh.stopped(id)).state === 'stopped')
    expect(await agh.stopped(id)).toMatchObject({ stop_reason: 'agent_crashed' })
    await startRepairs(agh.restart()).ready()
    const { last_sequence, checked_sequence } = await getSession(agh.context, id)
    expect(checked_sequence).toBe(last_sequence)
    const history = fileOf(id, 'events.db')
    renameSync(history, `${history}.away`)
    await startRepairs(agh.restart()).ready()
    // Opened for a repair, it would be there again.
    expect(existsSync(history)).toBe(false)
    renameSync(`${history}.away`, history)
    await resume(agh.context, id)
    await agh.prompt(id, 'say two')
    await stopSession(agh.context, id, null)
    expect((await getSession(agh.context, id)).checked_sequence).toBe(last_sequence)
  })

  it('N5 ends the host of a stopped session, as a release before hosts leaves it', async () => {
    const { id } = await agh.create()
    const host = hostIdentity(agh.context.paths, id)
    const agent = agh.context.live.get(id)!.process!.identity!
    const context = agh.restart()
    const file = fileOf(id, 'meta.json')
    const meta = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...meta, state: 'stopped', stop_reason: 'shutdown' }))
    await startRepairs(context).ready()
    await waitFor('host and agent to be gone', () => [host, agent].every((one) => processState(one) === 'dead'))
    expect(hostDirectoryOf(context.paths, id)).toBeNull()
  })

  it('removes what is left of a session that was never written down, and only that', async () => {
    const { sessions } = agh.context.paths
    mkdirSync(join(sessions, 'sess-empty'))
    mkdirSync(join(sessions, 'sess-half'))
    writeFileSync(join(sessions, 'sess-half', '.meta.json.1.abcd.tmp'), '{"sch')
    mkdirSync(join(sessions, 'sess-other'))
    writeFileSync(join(sessions, 'sess-other', 'notes.txt'), 'mine')
    await startRepairs(agh.restart()).ready()
    expect(readdirSync(sessions)).toEqual(['sess-other'])
  })
})

describe('events.db', () => {
  const damages: Array<[string, (file: string) => void]> = [
    ['cut in half', (file) => truncateSync(file, readFileSync(file).length / 2)],
    ['without its first page', (file) => overwrite(file, 0, 4_096)],
    ['with a broken page inside', (file) => overwrite(file, 4_096 * 20, 4_096)],
    ['no database', (file) => writeFileSync(file, 'a text\n'.repeat(2_000))],
  ]

  it.each(damages)(
    'that is %s is salvaged by a repair, not by readers; what is left keeps its number',
    async (_what, damage) => {
      const id = await stoppedSession('stream 400')
      const before = await agh.events(id)
      damage(fileOf(id, 'events.db'))
      agh.restart()
      const damaged = readFileSync(fileOf(id, 'events.db'))
      await expect(agh.events(id)).rejects.toMatchObject({ code: 'METADATA_DAMAGED' })
      expect(readFileSync(fileOf(id, 'events.db'))).toEqual(damaged)
      const { issues, persisted } = await repairTranscript(agh.context, id, { dryRun: false })
      expect([issues[0]?.code, persisted]).toEqual(['event_log_damaged', true])
      const after = await agh.events(id)
      const report = after.at(-1)!
      expect(report).toMatchObject({ type: 'store_salvaged' })
      expect(after.slice(0, -1)).toEqual(
        before.filter(({ sequence }) => after.some((one) => one.sequence === sequence)),
      )
      expect(report.sequence).toBe(before.length + 1)
      const { kept_events, lost_events } = report.content as Record<string, number>
      expect([kept_events, lost_events]).toEqual([after.length - 1, before.length - after.length + 1])
      expect(await agh.events(id)).toEqual(after)
      expect(await resume(agh.context, id)).toMatchObject({ id, state: 'active' })
      const more = await agh.prompt(id, 'say on')
      expect(more[0]!.sequence).toBeGreaterThan(report.sequence)
    },
  )

  it('whose log ends in half a write, as after a loss of power, has everything that was acknowledged before', async () => {
    const { id } = await agh.create()
    await agh.prompt(id, 'stream 300')
    const seen = await agh.events(id)
    const copy = join(agh.home, 'copy.db')
    for (const suffix of ['', '-wal']) writeFileSync(copy + suffix, readFileSync(fileOf(id, 'events.db') + suffix))
    appendFileSync(`${copy}-wal`, Buffer.alloc(2_000, 0x5a))
    expect(await isSound(copy)).toBe(true)
    const store = await openHistory(copy, { clock: systemClock, floor: 0, onFailure: () => undefined })
    expect(store.readAfter(0, 1_000).map((row) => toSessionEvent(id, row))).toEqual(seen)
    await store.close()
  })

  it('is whole again, wherever its salvage is killed', async () => {
    for (let time = 1; ; time++) {
      const id = await stoppedSession('stream 400')
      const before = await agh.events(id)
      const file = fileOf(id, 'events.db')
      overwrite(file, 4_096 * 12, 4_096)
      const killed = await salvageInChild(file, before.length, `agh-salvage:${time}`)
      const store = await openHistory(file, { clock: systemClock, floor: before.length, onFailure: () => undefined })
      await store.close()
      await repairTranscript(agh.restart(), id, { dryRun: false })
      const after = await agh.events(id)
      expect(after.filter(({ type }) => type === 'store_salvaged')).toHaveLength(1)
      expect(keptOf(after)).toBeGreaterThan(before.length - 60)
      expect(readdirSync(join(file, '..')).filter((name) => /salvag/.test(name))).toEqual([])
      if (!killed) break
    }
  })
})

function keptOf(events: readonly SessionEvent[]): number {
  return (events.at(-1)!.content as { kept_events: number }).kept_events
}

function overwrite(file: string, from: number, length: number): void {
  const bytes = readFileSync(file)
  bytes.fill(0xff, from, Math.min(bytes.length, from + length))
  writeFileSync(file, bytes)
}

async function salvageInChild(file: string, floor: number, failpoint: string): Promise<boolean> {
  const from = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href)
  const script = [
    `const { salvage } = await import(${from('agh/store/open-history.ts')})`,
    `const { systemClock } = await import(${from('lib/clock.ts')})`,
    `const options = { clock: systemClock, floor: ${floor}, onFailure() {} }`,
    `const store = await salvage(${JSON.stringify(file)}, options)`,
    'await store.close()',
  ].join('\n')
  const env = { ...agh.context.env, AO_FAILPOINT: failpoint }
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { env, stdio: 'inherit' })
  await new Promise((resolve) => child.once('close', resolve))
  if (child.signalCode === null) expect(child.exitCode).toBe(0)
  return child.signalCode === 'SIGKILL'
}
