// Which command of each agent speaks ACP, for the acp runtime.
import { describe, expect, it } from 'vitest'
import type { AgentConfig, ProjectConfig } from '../../src/contract/config.ts'
import { BUILTIN_PLUGINS } from '../../src/plugins/builtin.ts'
import type { Agent, AgentLaunch } from '../../src/slots/agent.ts'
import { createTempHome } from '../support/temp-home.ts'
import { contextOf } from './runtime-world.ts'

async function commandOf(name: string, config: AgentConfig = {}, model?: string): Promise<string[] | undefined> {
  const temp = createTempHome()
  try {
    const { plugin } = await BUILTIN_PLUGINS.find((one) => one.slot === 'agent' && one.name === name)!.load()
    const agent = plugin.create({}, contextOf(temp)) as Agent
    const launch = {
      config,
      model,
      permissions: 'skip',
      role: 'worker',
      stateDir: temp.home,
      project: {} as ProjectConfig,
    }
    return agent.getAcpCommand?.(launch as AgentLaunch)
  } finally {
    await temp.cleanup()
  }
}

describe('the ACP command of an agent', () => {
  it.each<[string, AgentConfig, string[] | undefined]>([
    ['claude-code', {}, ['claude-agent-acp']],
    ['codex', {}, ['codex-acp']],
    ['opencode', {}, ['opencode', 'acp']],
    ['opencode', { command: '/opt/opencode' }, ['/opt/opencode', 'acp']],
    ['gemini', {}, ['gemini', '--acp']],
    ['generic', { command: 'my-agent --acp' }, ['my-agent', '--acp']],
    ['aider', {}, undefined],
  ])('%s with %j', async (name, config, expected) => {
    expect(await commandOf(name, config)).toEqual(expected)
  })

  it('names the model where the protocol has no setting for it', async () => {
    expect(await commandOf('gemini', {}, 'gemini-2.5-flash')).toEqual([
      'gemini',
      '--acp',
      '--model',
      'gemini-2.5-flash',
    ])
    expect(await commandOf('opencode', {}, 'some/model')).toEqual(['opencode', 'acp'])
  })

  it('is a program of its own for the demo agent', async () => {
    expect((await commandOf('demo'))?.slice(1)).toEqual([
      // The built one, while it is as new as the sources.
      expect.stringMatching(/acp-program\.ts$|demo-agent-acp\.js$/),
      '--permissions=skip',
      '--role=worker',
    ])
  })
})
