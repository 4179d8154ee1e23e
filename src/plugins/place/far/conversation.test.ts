import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../../../test/support/temp-home.ts'
import { silentLog } from '../../../lib/log.ts'
import type { Agent } from '../../../slots/agent.ts'
import { plugin as claude } from '../../agent-claude-code/index.ts'
import { plugin as codex } from '../../agent-codex/index.ts'
import type { FarAgent } from './agents.ts'
import { adoptConversation, findConversation, sendConversation } from './conversation.ts'

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => expect(await temp.cleanup()).toEqual([]))

const ID = '0b9f0a4e-5e2e-4a56-9d3c-2f8a7c9d1e01'

/** An agent on a machine of its own. */
function agentOn(machine: string, plugin: typeof claude | typeof codex): FarAgent & { at(path: string): string } {
  const at = (path: string) => join(temp.home, machine, path)
  const [home, workspacePath, stateDir] = [at('home'), at('work'), at('state')]
  for (const directory of [home, workspacePath, stateDir]) mkdirSync(directory, { recursive: true })
  const context = { home, env: { HOME: home }, log: silentLog, configDir: workspacePath, dataDir: stateDir }
  const agent = plugin.create({} as never, context) as Agent
  const launch = { workspacePath, stateDir, config: {}, permissions: 'default', role: 'worker' }
  const session = { workspacePath, metadata: {} }
  const readOptions = (now: Date) => ({ readyThresholdMs: 0, now, stateDir })
  return { agent, launch, session, readOptions, at } as unknown as FarAgent & { at(path: string): string }
}

function write(path: string, text: string): string {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
  return path
}

async function travelling(from: FarAgent): Promise<Buffer> {
  const stream = new PassThrough()
  const [bytes] = await Promise.all([buffer(stream), sendConversation((await findConversation(from))!, stream)])
  return bytes
}

const arrive = (to: FarAgent, bytes: Buffer) =>
  adoptConversation(to, write(join(temp.home, 'arrived.gz'), '') && put(bytes))
function put(bytes: Buffer): string {
  writeFileSync(join(temp.home, 'arrived.gz'), bytes)
  return join(temp.home, 'arrived.gz')
}

const projectOf = (path: string) => path.replace(/[^A-Za-z0-9]/g, '-')

it("Claude's transcripts are found by Claude in the other workspace, and are what restore continues", async () => {
  const one = agentOn('one', claude)
  const line = JSON.stringify({ type: 'user', cwd: one.at('work'), message: { role: 'user', content: 'hello' } })
  const file = write(one.at(`home/.claude/projects/${projectOf(one.at('work'))}/${ID}.jsonl`), `${line}\n{"half`)
  utimesSync(file, new Date(), new Date(1_700_000_000_000))
  const helper = write(join(file.slice(0, -6), 'subagents', 'agent-a1.jsonl'), `${line}\n`)
  const other = agentOn('other', claude)
  await arrive(other, await travelling(one))
  const target = other.at(`home/.claude/projects/${projectOf(other.at('work'))}/${ID}.jsonl`)
  expect(readFileSync(target, 'utf8')).toBe(`${line}\n`)
  expect(statSync(target).mtimeMs).toBe(1_700_000_000_000)
  expect(readFileSync(join(target.slice(0, -6), 'subagents', 'agent-a1.jsonl'), 'utf8')).toBe(
    readFileSync(helper, 'utf8'),
  )
  const resume = await other.agent.getRestoreCommand!(other.session, other.launch)
  expect(resume?.slice(0, 3)).toEqual(['claude', '--resume', ID])
})

it("Codex's rollout is found again although it names another directory", async () => {
  const one = agentOn('one', codex)
  const meta = JSON.stringify({ type: 'session_meta', payload: { id: ID, cwd: one.at('work') } })
  const name = `sessions/2026/11/16/rollout-2026-11-16T01-02-03-${ID}.jsonl`
  write(one.at(`home/.codex/${name}`), `${meta}\n`)
  const other = agentOn('other', codex)
  await arrive(other, await travelling(one))
  expect(readFileSync(other.at(`home/.codex/${name}`), 'utf8')).toBe(`${meta}\n`)
  expect((await findConversation(other))?.files.map((file) => file.name)).toEqual([name])
})

it('nothing is written outside of what the agent owns, whatever the names say', async () => {
  const other = agentOn('other', claude)
  const names = [
    `../../../${ID}.jsonl`,
    '/etc/passwd',
    `${ID}/../../x.jsonl`,
    `${ID}/subagents/../../../x.jsonl`,
    'x.jsonl',
  ]
  const files = names.map((name) => ({ name, size: 2, at: 0 }))
  const bytes = gzipSync(`${JSON.stringify({ agent: 'claude-code', files })}\n${'xx'.repeat(names.length)}`)
  await arrive(other, bytes)
  expect(await findConversation(other)).toBeNull()
  expect(await other.agent.conversation!.adopt(names, other.launch)).toEqual({})
})

it('one that is cut off, of another agent, or nonsense is refused', async () => {
  const one = agentOn('one', claude)
  write(
    one.at(`home/.claude/projects/${projectOf(one.at('work'))}/${ID}.jsonl`),
    `${JSON.stringify({ cwd: one.at('work') })}\n`,
  )
  const whole = await travelling(one)
  await expect(arrive(agentOn('other', claude), whole.subarray(0, -20))).rejects.toThrow()
  await expect(arrive(agentOn('other', codex), whole)).rejects.toThrow('it is a conversation of claude-code')
  for (const head of ['{}', '[]', '{"agent":"claude-code","files":[{"name":"x","size":-1,"at":0}]}', '']) {
    await expect(arrive(agentOn('other', claude), gzipSync(`${head}\n`)), head).rejects.toThrow()
  }
  const short = { agent: 'claude-code', files: [{ name: `${ID}.jsonl`, size: 10, at: 0 }] }
  await expect(arrive(agentOn('other', claude), gzipSync(`${JSON.stringify(short)}\nxx`))).rejects.toThrow(
    'it is cut off',
  )
})
