import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { getSession, listSessions, stopSession } from '../../src/agh/runtime.ts'
import { openReadOnly } from '../../src/agh/store/database.ts'
import { historyFile } from '../../src/agh/store/meta-file.ts'
import { type AghHome, createAghHome } from './agh-home.ts'

let agh: AghHome
afterEach(async () => expect(await agh.cleanup()).toEqual([]))

async function hookRuns(sessionId: string) {
  const db = await openReadOnly(historyFile(agh.context.paths, sessionId))
  const runs = db.prepare('SELECT event, required, outcome, detail FROM hook_runs ORDER BY number').all()
  db.close()
  return runs
}

function open(hooks: object[]) {
  agh = createAghHome({ config: { hooks } })
}

describe('hooks', () => {
  it('S4.69 S4.85 end a start that a required one denies', async () => {
    open([{ event: 'session.pre_create', command: "sh -c 'echo not on Sundays; exit 1'", required: true }])
    await expect(agh.create()).rejects.toThrow('not on Sundays')
    const [session] = (await listSessions(agh.context)).sessions
    expect(session).toMatchObject({
      state: 'stopped',
      stop_reason: 'hook_stopped',
      failure: { kind: 'permission_failure' },
    })
    expect(await hookRuns(session!.id)).toEqual([
      { event: 'session.pre_create', required: 1, outcome: 'failed', detail: 'not on Sundays' },
    ])
  })

  it('S4.69 S4.85 S4.26 end a session whose prompt a required one denies, and the prompt never reaches the agent', async () => {
    open([{ event: 'prompt.pre_submit', command: 'grep -qv forbidden', required: true }])
    const { id } = await agh.create()
    await agh.prompt(id, 'say fine')
    const events = await agh.prompt(id, 'say forbidden')
    expect(events.map(({ type }) => type)).toEqual(['user_message', 'error'])
    expect(await agh.stopped(id)).toMatchObject({
      stop_reason: 'hook_stopped',
      failure: { kind: 'permission_failure' },
    })
    expect(agh.agentLog().filter((line) => line === 'session/prompt')).toHaveLength(1)
  })

  it('S4.107 are recorded, get the facts on stdin, and change nothing when they are not required or all is over', async () => {
    open([])
    const seen = join(agh.home, 'seen.json')
    const script = join(agh.home, 'hook.sh')
    writeFileSync(script, `#!/bin/sh\ncat > ${seen}\nexit 3\n`, { mode: 0o755 })
    agh.context.config.hooks.push({ event: 'session.stopped', command: script, required: true, timeout: '10s' })
    agh.context.config.hooks.push({
      event: 'session.started',
      command: 'no-such-program',
      required: false,
      timeout: '10s',
    })
    const { id } = await agh.create()
    await stopSession(agh.context, id, null)
    expect(await getSession(agh.context, id)).toMatchObject({ stop_reason: 'user_canceled', failure: null })
    const runs = await hookRuns(id)
    expect(agh.logged.join()).toContain('the hook session.stopped denied it')
    expect(runs).toMatchObject([
      { event: 'session.started', outcome: 'failed' },
      { event: 'session.stopped', outcome: 'failed' },
    ])
    const { readFileSync } = await import('node:fs')
    expect(JSON.parse(readFileSync(seen, 'utf8'))).toMatchObject({
      event: 'session.stopped',
      session_id: id,
      stop_reason: 'user_canceled',
    })
  })

  it('are ended when they take too long', async () => {
    open([{ event: 'session.pre_create', command: 'sleep 60', required: true, timeout: '200ms' }])
    await expect(agh.create()).rejects.toThrow('did not end within 200ms')
  })
})
