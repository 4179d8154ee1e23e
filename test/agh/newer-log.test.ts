// An event log that a newer agh wrote: it is listed and read, and whatever would have to write to it is refused in words. No agent is
// ended for it, and the other sessions go on.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  getSession,
  listSessions,
  readUsage,
  repairTranscript,
  resume,
  startRepairs,
  stopSession,
  trimSession,
} from '../../src/agh/runtime.ts'
import { processState } from '../../src/lib/process/process-identity.ts'
import { type AghHome, createAghHome } from './agh-home.ts'

let agh: AghHome
beforeEach(() => {
  agh = createAghHome({ agent: 'resume' })
})
afterEach(async () => {
  expect(await agh.cleanup()).toEqual([])
})

const fileOf = (id: string, name: string) => join(agh.context.paths.sessions, id, name)

/** As a newer program marks it, and settled in the file itself. */
function mark(id: string, version: number): void {
  const db = new Database(fileOf(id, 'events.db'))
  db.pragma(`user_version = ${version}`)
  if (version > 1) db.exec('CREATE TABLE of_tomorrow (number INTEGER)')
  else db.exec('DROP TABLE of_tomorrow')
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
}

const bytesOf = (id: string) => ['events.db', 'meta.json'].map((name) => readFileSync(fileOf(id, name), 'hex'))

it('of an ended session is read, and a resume, a repair and a trim are refused and change nothing', async () => {
  const { id } = await agh.create()
  await agh.prompt(id, 'say one')
  await stopSession(agh.context, id, null)
  const other = await agh.create()
  mark(id, 2)
  const before = bytesOf(id)
  await startRepairs(agh.restart()).ready()
  expect((await listSessions(agh.context)).sessions.map((one) => one.id)).toContain(id)
  expect(await getSession(agh.context, id)).toMatchObject({ id, state: 'stopped' })
  expect((await agh.events(id)).map(({ type }) => type)).toContain('agent_message')
  await readUsage(agh.context, id)
  const refused = {
    code: 'FORMAT_NEWER',
    message: expect.stringContaining(`${fileOf(id, 'events.db')} is of version 2`),
  }
  await expect(resume(agh.context, id)).rejects.toMatchObject(refused)
  await expect(repairTranscript(agh.context, id, { dryRun: false })).rejects.toMatchObject(refused)
  await expect(trimSession(agh.context, id)).rejects.toMatchObject(refused)
  expect((await repairTranscript(agh.context, id, { dryRun: true })).persisted).toBe(false)
  expect(bytesOf(id)).toEqual(before)
  expect(existsSync(`${fileOf(id, 'events.db')}.salvaging`)).toBe(false)
  expect((await agh.prompt(other.id, 'say two')).at(-1)).toMatchObject({ type: 'done' })
  mark(id, 0)
  await resume(agh.context, id)
  expect((await agh.prompt(id, 'say three')).at(-1)).toMatchObject({ type: 'done' })
})

it('of a session that was left running: its agent goes on as it is', async () => {
  const { id } = await agh.create()
  const agent = agh.context.live.get(id)!.process!.identity!
  await agh.prompt(id, 'say one')
  const context = agh.restart()
  mark(id, 2)
  const before = bytesOf(id)
  await startRepairs(context).ready()
  expect(agh.logged.join('\n')).toMatch(new RegExp(`${id} could not be repaired: .*of version 2`))
  expect(processState(agent)).toBe('alive')
  expect(bytesOf(id)).toEqual(before)
  // A person who wants it ended gets that, and nothing is written about it.
  const stopped = { code: 'FORMAT_NEWER', message: expect.stringContaining(`The agent of session ${id} was stopped`) }
  await expect(stopSession(context, id, null)).rejects.toMatchObject(stopped)
  expect(processState(agent)).toBe('dead')
  expect(bytesOf(id)).toEqual(before)
  mark(id, 0)
  await stopSession(context, id, null)
  expect(await getSession(context, id)).toMatchObject({ state: 'stopped' })
})

it('that names version 1 is this one’s own', async () => {
  const { id } = await agh.create()
  await stopSession(agh.context, id, null)
  mark(id, 2)
  mark(id, 1)
  await resume(agh.context, id)
  expect((await agh.prompt(id, 'say on')).at(-1)).toMatchObject({ type: 'done' })
})
