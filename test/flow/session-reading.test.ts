// Reading a session's work by command: `ao session diff` and `ao session transcript`, for each kind of runtime.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type AghBeside, aghBeside } from '../support/agh-daemon.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

let world: AoWorld
let beside: AghBeside

beforeAll(() => buildAo(), 60_000)

afterEach(async () => {
  await world.ao(['session', 'kill', 'app-1', '--purge'])
  await beside.stop()
  expect(await world.temp.cleanup()).toEqual([])
})

describe.each(['process', 'acp'] as const)('a session with runtime %s', (runtime) => {
  it('shows what it changed, committed or not, and the conversation', async () => {
    world = createAoWorld({
      config: `defaults: { runtime: ${runtime}, notifiers: [] }\nprojects: { app: { path: ., agent: demo, tracker: local, scm: local } }\n`,
    })
    beside = aghBeside(world.temp.home, world.temp.env)
    await world.agree()
    const script = ['write answer 42', 'commit the answer', 'write draft one', 'say that is the draft', 'wait 600s']
    const spawned = await world.json<{ session: { workspacePath: string } }>([
      ...['spawn', '--prompt', script.map((line) => `demo: ${line}`).join('\n')],
    ])
    const diff = () => world.json<{ diff: string; truncated: boolean }>(['session', 'diff', 'app-1'])
    await waitFor('both files', async () => /\+42[\s\S]*\+one/.test((await diff()).diff), 30_000)
    expect((await diff()).truncated).toBe(false)

    writeFileSync(join(spawned.session.workspacePath, 'odd'), '\u001b[2Jcleared\n')
    const shown = await world.ao(['session', 'diff', 'app-1'])
    expect(shown.stdout).toContain('cleared')
    expect(shown.stdout).not.toContain('\u001b[2J')
    expect((await world.ao(['session', 'diff', 'app-1', '--raw'])).stdout).toContain('\u001b[2J')

    const transcript = () => world.ao(['session', 'transcript', 'app-1'])
    await waitFor('its words', async () => (await transcript()).stdout.includes('that is the draft'), 30_000)
    const answer = await world.json<{ kind: string }>(['session', 'transcript', 'app-1'])
    expect(answer.kind).toBe(runtime === 'acp' ? 'conversation' : 'terminal')
    expect((await world.ao(['session', 'transcript', 'app-1', '--lines', 'many'])).code).toBe(2)
    expect((await world.ao(['session', 'ls', '-q'])).stdout).toBe('app-1\n')
    const late = await world.ao(['session', 'wait', 'app-1', '--for', 'mergeable', '--timeout', '1s'])
    expect([late.code, late.stderr]).toEqual([3, expect.stringContaining('app-1 is still working after 1s')])
    const waiting = world.ao(['session', 'wait', 'app-1'])
    await world.ao(['session', 'kill', 'app-1'])
    expect(await waiting).toMatchObject({ code: 0, stdout: 'app-1 is killed\n' })
    expect((await world.ao(['session', 'wait', 'app-1', '--for', 'merged'])).code).toBe(1)
    expect((await world.ao(['session', 'wait', 'app-1', '--for', 'happy'])).stderr).toContain(
      'There is no status happy',
    )
    expect((await world.ao(['session', 'diff', 'app-9'])).stderr).toContain('There is no session app-9')
  }, 90_000)
})
