import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aghPaths } from '../../src/agh/paths.ts'
import { agentFile, describeAgent, findAgent } from '../../src/agh/setup/agents.ts'
import { loadAghConfig } from '../../src/agh/setup/load-config.ts'
import { COMMANDS } from '../../src/cli/agh/commands.ts'
import { run } from '../../src/cli/run.ts'
import { aghConfigSchema } from '../../src/contract/agh/config.ts'
import { createFakeIo } from '../support/fake-io.ts'
import { createTempHome } from '../support/temp-home.ts'

let temp: ReturnType<typeof createTempHome>
let bin: string
beforeEach(() => {
  temp = createTempHome()
  bin = join(temp.home, 'bin')
  mkdirSync(bin)
})
afterEach(async () => expect(await temp.cleanup()).toEqual([]))

function putOnPath(...programs: string[]) {
  for (const name of programs) {
    writeFileSync(join(bin, name), '#!/bin/sh\n')
    chmodSync(join(bin, name), 0o755)
  }
}
const place = () => ({ paths: aghPaths({}, temp.home), env: { PATH: bin } })
async function install(...args: string[]) {
  const { io, stdout, stderr } = createFakeIo({ env: { PATH: bin }, home: temp.home })
  const code = await run(COMMANDS, ['install', ...args], io)
  return { code, stdout: stdout(), stderr: stderr() }
}

describe('agh install', () => {
  it('writes the agents that are on the PATH, and makes the first of them general', async () => {
    putOnPath('opencode', 'codex-acp')
    const { code, stdout } = await install('-o', 'json')
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        agents: [
          { name: 'codex', command: ['codex-acp'], via: 'path' },
          { name: 'opencode', command: ['opencode', 'acp'], via: 'path' },
        ],
        offered: [],
        written: ['codex', 'opencode', 'general', 'config.toml'],
      },
    ])
    expect(await findAgent(place(), 'general')).toMatchObject({ command: ['codex-acp'] })
    expect(await findAgent(place(), 'opencode')).toMatchObject({ command: ['opencode', 'acp'] })
    expect(await loadAghConfig(place().paths)).toEqual(aghConfigSchema.parse({}))
  })

  it('leaves general to the demo agent when there is none, offers npx without using it, and general is what comes to the PATH', async () => {
    putOnPath('npx')
    const { stdout } = await install()
    expect(stdout).toContain('demo agent')
    expect(stdout).toContain(
      'npx can fetch them: claude, codex, opencode, gemini, qwen, copilot, cline, auggie. To use one: agh install --npx --agent claude',
    )
    expect(await describeAgent(place(), 'general')).toMatchObject({ source: 'demo', problem: null })
    putOnPath('gemini')
    expect(await findAgent(place(), 'general')).toMatchObject({ command: ['gemini', '--acp'] })
  })

  it('writes commands for npx only when it is asked to', async () => {
    putOnPath('npx', 'gemini')
    await install('--npx', '--agent', 'claude', '--agent', 'gemini', '--agent', 'opencode')
    expect(await findAgent(place(), 'general')).toMatchObject({ command: ['gemini', '--acp'] })
    expect(await findAgent(place(), 'claude')).toMatchObject({
      command: ['npx', '-y', '@agentclientprotocol/claude-agent-acp'],
    })
    expect(await findAgent(place(), 'opencode')).toMatchObject({ command: ['npx', '-y', 'opencode-ai', 'acp'] })
    await expect(findAgent(place(), 'codex')).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' })
  })

  it('changes nothing that exists', async () => {
    putOnPath('codex-acp')
    const file = agentFile(place().paths, 'general')
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, '---\ncommand: codex-acp --mine\n---\n')
    await install()
    expect(await findAgent(place(), 'general')).toMatchObject({ command: ['codex-acp', '--mine'] })
    expect((await install()).stdout).toContain('Nothing new')
    expect(await install('--agent', 'nobody')).toMatchObject({ code: 2, stderr: expect.stringContaining('nobody') })
  })
})
