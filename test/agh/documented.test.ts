// Every command and every curl line of the documentation of sessions, typed into a shell exactly as printed there.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDaemon } from '../../src/agh/daemon/start-daemon.ts'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import { COMMANDS } from '../../src/cli/agh/commands.ts'
import type { SessionView } from '../../src/contract/agh/answers.ts'
import type { SessionEvent } from '../../src/contract/agh/events.ts'
import { AO, buildAo } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { AGENT, type AghHome, createAghHome } from './agh-home.ts'

let agh: AghHome
let port: string
let id = 'sess-1234'

beforeAll(async () => {
  buildAo()
  const files = {
    'config.toml': `[http]\nport = 0\n[agents.heartbeat]\nmin_interval = "200ms"\nwake_cooldown = "200ms"\n`,
    'agents/watch/AGENT.md': `---\ncommand: ${JSON.stringify([process.execPath, AGENT])}\n---\n`,
    'agents/watch/HEARTBEAT.md': '---\npreferences: { min_interval: 200ms }\n---\nsay awake\n',
  }
  agh = createAghHome({ agent: 'options', files })
  const bin = join(agh.home, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'agh'), `#!/bin/sh\nexec "${process.execPath}" "${join(dirname(AO), 'agh.js')}" "$@"\n`)
  chmodSync(join(bin, 'agh'), 0o755)
  agh.context.env.PATH = `${bin}:${agh.context.env.PATH}`
  port = new URL((await startDaemon(agh.context.paths, agh.context.env)).http!).port
}, 60_000)
afterAll(async () => {
  await stopDaemon(agh.context.paths)
  expect(await agh.cleanup()).toEqual([])
})

/** With the session, the port and the path of this test in the places of those in the documentation. */
function type(line: string) {
  const real = line
    .replaceAll('sess-1234', id)
    .replaceAll('<session-id>', id)
    .replaceAll(':2123', `:${port}`)
    .replaceAll('/absolute/path/to/repo', agh.workspace)
  const { stdout, stderr, status } = spawnSync('bash', ['-c', real], {
    cwd: agh.workspace,
    env: agh.context.env,
    encoding: 'utf8',
  })
  return { stdout, stderr, status }
}
const json = (line: string) => JSON.parse(type(line).stdout)
const session = (): SessionView => json('agh session status sess-1234 -o json').session

describe('the documentation of sessions, line by line', () => {
  it('S4.14 S4.24 S4.72 S4.47 creates, prompts, shows and stops a session by command', () => {
    const made = type('agh session new --agent general --cwd "$PWD" --name code-review')
    expect(made.status).toBe(0)
    id = /sess-[0-9a-f]{16}/.exec(made.stdout)![0]
    expect(session()).toMatchObject({
      id,
      state: 'active',
      name: 'code-review',
      agent_name: 'general',
      workspace_path: agh.workspace,
    })
    const turn = type('agh session prompt sess-1234 "Explain how the stop path works."')
    expect(turn).toMatchObject({ status: 0, stderr: '' })
    expect(type('agh session status sess-1234').stdout).toMatch(/active/)
    expect(type('agh session stop sess-1234').status).toBe(0)
    expect(session()).toMatchObject({ state: 'stopped', stop_reason: 'user_canceled' })
    expect(type('agh session status sess-1234').stdout).toMatch(/stopped +user_canceled/)
  })

  it('S4.15 S4.25 S4.48 does the same over HTTP', () => {
    const made = json(`curl -X POST http://localhost:2123/api/sessions \\
  -H "Content-Type: application/json" \\
  -d '{
    "agent_name": "general",
    "name": "code-review",
    "workspace_path": "/absolute/path/to/repo"
  }'`)
    id = made.session.id
    const turn = type(`curl -N -X POST http://localhost:2123/api/sessions/sess-1234/prompt \\
  -H "Content-Type: application/json" \\
  -d '{"message":"Explain how the stop path works."}'`)
    expect(turn.stdout.match(/^event: .*$/gm)).toEqual(['event: user_message', 'event: done'])
    expect(json('curl -X DELETE http://localhost:2123/api/sessions/sess-1234').session).toMatchObject({
      id,
      state: 'stopped',
    })
    expect(json('agh session events sess-1234 -o json').events.length).toBeGreaterThan(3)
  })

  it('S4.78 S4.37 S4.103 S4.104 shows failures and health, and repairs', () => {
    type('agh session resume sess-1234')
    expect(type('agh session prompt sess-1234 "exit 7"').status).toBe(1)
    expect(type('agh session wait sess-1234 --until stopped --timeout 20s').status).toBe(1)
    expect(json("agh session status sess-1234 -o json | jq '.session.failure'")).toMatchObject({ kind: 'process_exit' })
    for (const word of ['health', 'status', 'inspect']) {
      const { health } = json(`agh session ${word} sess-1234 -o json | jq '.session // .'`)
      expect(health).toMatchObject({ state: 'stopped', health: 'dead', attachable: false, eligible_for_wake: false })
    }
    expect(type('agh session repair <session-id> --dry-run').status).toBe(0)
    expect(type('agh session repair <session-id>').status).toBe(0)
  })

  it('follows events after a number, and waits for what is asked, with an exit code by outcome', () => {
    type('agh session resume sess-1234')
    type('agh session prompt sess-1234 "say one"')
    const last = session().last_sequence
    type('agh session prompt sess-1234 "say two"')
    expect(type('agh session wait sess-1234 --until idle --timeout 20s').status).toBe(0)
    expect(type('agh session wait sess-1234 --timeout 100ms').status).toBe(3)
    const { stdout } = type(
      `(sleep 0.3; agh session stop sess-1234 >/dev/null) & agh session events sess-1234 --follow --after ${last} -o jsonl; wait`,
    )
    const types = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type)
    expect(types).toEqual(['user_message', 'agent_message', 'done', 'session_stopped'])
    expect(type('agh session wait sess-1234').status).toBe(0)
    expect(type('agh session wait sess-1234 --until idle').status).toBe(1)
    expect(type('agh session wait sess-1234 --until asleep').status).toBe(2)
    expect(type('agh session prompt sess-1234 hello').status).toBe(5)
    expect(type('agh session status sess-none').status).toBe(4)
    expect(json('agh session status sess-none --output=json').error.code).toBe('SESSION_NOT_FOUND')
  })

  it('S4.112 S4.113 S4.114 S4.115 S4.117 starts sessions of every type', () => {
    const make = (rest: string) => json(`agh session new ${rest} -o json`).session as SessionView
    expect(make('').type).toBe('user')
    expect(make('--type dream --permissions deny-all')).toMatchObject({ type: 'dream', permissions: 'approve-all' })
    expect(make('--type system')).toMatchObject({ type: 'system' })
    expect(type('agh session new --type coordinator').status).toBe(2)
    const { task } = json('agh task create Tidy up --prompt "say tidy" -o json')
    const types = () => (json('agh session list --all -o json') as SessionView[]).map((one) => one.type)
    expect(types()).not.toContain('coordinator')
    expect(json(`agh task run ${task.id} --wait -o json`).task.runs).toMatchObject([{ state: 'completed' }])
    expect(types()).toContain('coordinator')
    expect(type('agh task list').stdout).toContain('completed')
    expect(type(`agh task info ${task.id}`).stdout).toContain('completed')
    const child = json(
      `TOKEN=$(tr '\\0' '\\n' < /proc/$(agh session inspect ${make('').id} | jq -r '.session.process.identity' | cut -d: -f1)/environ | sed -n 's/^AGH_SESSION_TOKEN=//p'); AGH_SESSION_TOKEN=$TOKEN agh spawn --ttl 1m -o json`,
    )
    expect(child.session).toMatchObject({ type: 'spawned', lineage: { spawn_depth: 1 } })
  })

  it('S4.36 wakes an idle session of an agent with a HEARTBEAT.md', async () => {
    id = json('agh session new --agent watch -o json').session.id
    const prompts = () =>
      (json('agh session events sess-1234 -t user_message -o json').events as SessionEvent<'user_message'>[]).map(
        ({ content }) => content.source,
      )
    await waitFor('a wake', async () => prompts().includes('heartbeat'))
    type('agh session stop sess-1234')
    const before = prompts().length
    expect(type('agh session wake sess-1234')).toMatchObject({ status: 5, stdout: 'skipped  session_health_dead\n' })
    expect(prompts()).toHaveLength(before)
  })

  it('has a command for agents, settings, workspaces and what is kept', () => {
    id = json('agh session new -o json').session.id
    type('agh session prompt sess-1234 "say hi"')
    const lines: Array<[line: string, status: number, printed: RegExp]> = [
      ['agh agent list', 0, /^general +yes/m],
      ['agh agent info general', 0, /AGENT\.md/],
      ['agh agent info nobody', 4, /^$/],
      ['agh session set sess-1234 --model large --set effort=high --mode plan', 0, /mode +plan\n +model +large/],
      ['agh session set sess-1234 --model huge', 2, /^$/],
      ['agh session set sess-1234 --set effort', 2, /^$/],
      ['agh session wake sess-1234', 5, /^skipped {2}heartbeat_no_policy$/m],
      ['agh session usage sess-1234', 0, /^turn-\w+ +10 +5/m],
      ['agh session hooks sess-1234', 0, /^$/],
      ['agh observe health', 0, /^ok/],
      ['agh workspace add . --name app --add-dir /usr', 0, /^app/],
      ['agh workspace list', 0, /^app/],
      ['agh session new --workspace app', 0, /repo, \/usr/],
      ['agh workspace remove app', 0, /^app/],
      ['agh workspace info app', 4, /^$/],
      ["agh openapi | jq -r '.openapi'", 0, /^3\.1\./],
      ['agh daemon status', 0, /^running/],
    ]
    for (const [line, status, printed] of lines) {
      const result = type(line)
      expect([line, result.status], result.stderr).toEqual([line, status])
      expect(result.stdout, line).toMatch(printed)
    }
  })

  /** For a person who watches, a script for a shell, one line, and a protocol. */
  const WITHOUT_FORMATS = ['session attach', 'completion', 'version', 'acp']

  it.each(COMMANDS.filter(({ hidden, name }) => !hidden && !WITHOUT_FORMATS.includes(name)).map(({ name }) => [name]))(
    'agh %s prints as it is asked to',
    async (name) => {
      const command = await COMMANDS.find((one) => one.name === name)!.load()
      expect(command.options).toMatchObject({ output: { short: 'o' }, json: {} })
    },
  )
})
