// What every agent plugin must do whatever it reads: options, commands without a shell, a clean worktree, damaged files.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '../../src/slots/agent.ts'
import type { Plugin } from '../../src/slots/plugin.ts'
import type { AgentWorld } from './agent-world.ts'
import { shareWorld } from './shared-world.ts'

export interface BasicsSubject {
  plugin: Plugin<'agent'>
  /** The program that is started; null: it depends on the configuration. */
  program: string | null
  /** Configuration without which nothing can be started. */
  config?: Record<string, unknown>
  /** The prompt that the command hands over, byte for byte; null for agents that get it as a message. */
  promptIn: ((command: string[]) => string | undefined) | null
  /** Files of the agent that are read; they are made here, in every damaged way. */
  files(world: AgentWorld): string[]
}

const PROMPTS = [
  ['quotes', `say "hello" and 'bye' and \`date\` and $(date) and $HOME; true`],
  ['newlines', 'first\n\nsecond\r\n\tthird\n'],
  ['leading dashes', '--yolo\n-c x=y'],
  ['wide characters', 'grüße 你好 🙂 \u001b[31m'],
] as const

const DAMAGES: Array<[string, (path: string) => void]> = [
  ['empty', (path) => writeFileSync(path, '')],
  ['binary', (path) => writeFileSync(path, Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7) % 256)))],
  ['other JSON', (path) => writeFileSync(path, 'null\n[]\n"x"\n{"type":7,"at":3,"projects":[]}\n')],
  ['one endless line', (path) => writeFileSync(path, `{"type":"user","x":"${'x'.repeat(20_000_000)}`)],
  ['cut in the middle', (path) => writeFileSync(path, '{"a":1}\n{"b":')],
  ['a directory', (path) => mkdirSync(path)],
  ['a pipe that nobody writes', (path) => spawnSync('mkfifo', [path])],
  ['a circle of links', (path) => spawnSync('ln', ['-s', path, path])],
]

export function describeAgentBasics(name: string, subject: BasicsSubject): void {
  describe(`agent ${name}, as every agent`, () => {
    const currentWorld = shareWorld()
    let world: AgentWorld
    let agent: Agent

    beforeEach(() => {
      world = currentWorld()
      agent = subject.plugin.create({}, world.context)
    })

    const launch = (overrides: Parameters<AgentWorld['launch']>[0] = {}) =>
      world.launch({ config: subject.config ?? {}, ...overrides })

    it('S0.4 S0.5 is chosen by its name, and refuses options that it does not know', () => {
      expect(subject.plugin.manifest).toMatchObject({ slot: 'agent', name })
      expect(agent.name).toBe(name)
      expect(() => subject.plugin.create({ colour: 'red' }, world.context)).toThrow(/option/i)
    })

    it('says whether it is on this machine without throwing', async () => {
      const found = await subject.plugin.detect!({ ...world.context, env: { PATH: '' } })
      expect(typeof found.detail).toBe('string')
      expect(found.ok || found.fix !== undefined).toBe(true)
    })

    it('starts a program, not a shell', () => {
      const command = agent.getLaunchCommand(launch({ prompt: 'go' }))
      if (subject.program !== null) expect(command[0]).toBe(subject.program)
      expect(command.every((argument) => typeof argument === 'string')).toBe(true)
    })

    it.each(PROMPTS)('hands over a prompt with %s untouched, or not in the command at all', async (_what, prompt) => {
      await agent.prepare?.(launch({ prompt }))
      const command = agent.getLaunchCommand(launch({ prompt }))
      if (subject.promptIn === null) {
        expect(agent.promptDelivery).toBe('post-launch')
        expect(command.some((argument) => argument.includes(prompt))).toBe(false)
        return
      }
      expect(agent.promptDelivery).toBe('inline')
      expect(subject.promptIn(command)).toBe(prompt)
    })

    it('keeps every argument within what the system allows', async () => {
      const prompt = 'a long task. '.repeat(40_000)
      await agent.prepare?.(launch({ prompt }))
      const longest = Math.max(...agent.getLaunchCommand(launch({ prompt })).map((one) => Buffer.byteLength(one)))
      expect(longest).toBeLessThan(131_072)
    })

    it('sets an environment of plain texts', () => {
      const environment = agent.getEnvironment(launch({ permissions: 'skip' }))
      expect(Object.values(environment).every((value) => typeof value === 'string')).toBe(true)
    })

    it('S1.63 touches nothing in the worktree when it is prepared and read', async () => {
      await agent.prepare?.(launch({ prompt: 'go' }))
      const options = world.options(new Date())
      await agent.getActivityState(world.session, options)
      await agent.getSessionInfo(world.session, options)
      await agent.watchPaths?.(world.session, options)
      expect(world.worktreeChanges()).toBe('')
    })

    it('S2.48 does not know before the agent has written anything, and has nothing to resume (S0.76)', async () => {
      const options = world.options(new Date())
      expect(await agent.getActivityState(world.session, options)).toBeNull()
      expect(await agent.getSessionInfo(world.session, options)).toBeNull()
      expect((await agent.getRestoreCommand?.(world.session, launch())) ?? null).toBeNull()
    })

    it.each(DAMAGES)('never throws and never hangs when its files are %s', async (_what, damage) => {
      await agent.prepare?.(launch({ prompt: 'go' }))
      for (const path of subject.files(world)) {
        mkdirSync(dirname(path), { recursive: true })
        rmSync(path, { recursive: true, force: true })
        damage(path)
      }
      const options = world.options(new Date())
      const started = performance.now()
      await agent.getActivityState(world.session, options)
      await agent.getSessionInfo(world.session, options)
      expect(await agent.hasSeen?.(world.session, 'hello there', new Date(0), options)).not.toBe(true)
      await agent.getRestoreCommand?.(world.session, launch())
      await agent.watchPaths?.(world.session, options)
      expect(performance.now() - started).toBeLessThan(10_000)
    })

    it('S0.53 says nothing about an empty screen', () => {
      expect(agent.detectActivity('')).toBeNull()
      expect(agent.detectActivity('\n  \n')).toBeNull()
    })
  })
}
