// What every agent plugin with files of its own must do, driven by recordings of the real agent.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PermissionMode } from '../../src/contract/config.ts'
import type { AgentSessionInfo } from '../../src/contract/session.ts'
import type { ActivityState } from '../../src/contract/status.ts'
import type { Agent, AgentLaunch } from '../../src/slots/agent.ts'
import type { Plugin } from '../../src/slots/plugin.ts'
import { type AgentWorld, createAgentWorld, readTelemetry } from './agent-world.ts'

/** The moments of the state table. */
export type Moment = 'working' | 'finished' | 'permission' | 'escape' | 'api error' | 'kill -9' | 'exited'

export interface AgentSubject {
  plugin: Plugin<'agent'>
  create(world: AgentWorld): Agent
  /** Restores the agent's files as of then, after a launch. Returns the time at which to read them. */
  stage(world: AgentWorld, moment: Moment): Promise<Date>
  expected: Record<Moment, ActivityState>
  /** Every file of the agent that is read, once staged; damage is done to them. */
  files(world: AgentWorld): string[]
  agentSessionId: string
  /** The first word of its launch command. */
  program: string
  /** A prompt of the recording and when it was entered. */
  prompt(world: AgentWorld): { text: string; at: Date; stagedBy: Moment }
  info(world: AgentWorld): AgentSessionInfo & { stagedBy: Moment }
  permissionFlags: Record<PermissionMode, string[]>
  resumeWords: string[]
  /** What the agent will read as its instructions, and as its task, from the command alone. */
  instructionsIn(command: string[]): string
  taskIn(command: string[]): string
  /** Recorded screens: file under `telemetry/`, and what they show. */
  screens: Array<[file: string, state: ActivityState]>
}

/** Linux allows 128 KiB for one argument. */
const MAX_ARGUMENT_BYTES = 131_071

const PROMPTS = [
  ['quotes', `say "hello" and 'bye' and \`date\` and $(date) and $HOME`],
  ['newlines', 'first\n\nsecond\r\n\tthird\n'],
  ['leading dashes', '--dangerously-skip-permissions\n-c x=y'],
  ['a lone dash', '-'],
  ['wide characters', 'grüße 你好 🙂 \u0007 \u001b[31m'],
] as const

export function describeAgent(name: string, subject: AgentSubject): void {
  describe(`agent ${name}`, () => {
    let world: AgentWorld
    let agent: Agent

    beforeEach(() => {
      world = createAgentWorld()
      agent = subject.create(world)
    })
    afterEach(async () => {
      expect(await world.temp.cleanup()).toEqual([])
    })

    const state = (now: Date, threshold?: number) =>
      agent.getActivityState(world.session, world.options(now, threshold))

    describe('the plugin', () => {
      it('S0.4 is chosen by its name', () => {
        expect(subject.plugin.manifest).toMatchObject({ slot: 'agent', name })
        expect(subject.plugin.create({}, world.context).name).toBe(name)
      })

      it('refuses options that it does not know', () => {
        expect(() => subject.plugin.create({ colour: 'red' }, world.context)).toThrow(/colour/)
      })

      it('says what is missing, and what to do, where the agent is not installed', async () => {
        const context = { ...world.context, env: { ...world.context.env, PATH: '/nowhere' } }
        const found = await subject.plugin.detect!(context)
        expect(found).toMatchObject({ ok: false, detail: expect.stringContaining('not installed') })
        expect(found.fix).toContain('npm install')
      })
    })

    describe('activity from its own files, with no runtime at all', () => {
      it.each(Object.entries(subject.expected) as Array<[Moment, ActivityState]>)(
        'S0.50 S0.51 S0.52 reads %s as %s',
        async (moment, expected) => {
          const now = await subject.stage(world, moment)
          const reading = await state(now)
          expect(reading?.state).toBe(expected)
          expect(reading?.evidence).toBeTruthy()
          expect(reading?.timestamp?.getTime()).toBeLessThanOrEqual(now.getTime())
        },
      )

      it('S0.45 S0.46 turns from ready to idle when nothing happens for longer than the threshold', async () => {
        const now = await subject.stage(world, 'finished')
        const { timestamp } = (await state(now))!
        expect((await state(new Date(timestamp!.getTime() + 60_000), 60_001))?.state).toBe('ready')
        expect((await state(new Date(timestamp!.getTime() + 60_001), 60_001))?.state).toBe('idle')
      })

      it.each(['permission', 'api error'] as const)('S0.47 S0.48 keeps %s however long it lasts', async (moment) => {
        const now = await subject.stage(world, moment)
        expect((await state(new Date(now.getTime() + 86_400_000)))?.state).toBe(subject.expected[moment])
      })

      it('S2.48 does not know before the agent has written anything', async () => {
        await agent.prepare!(world.launch({ prompt: 'go' }))
        expect(await state(new Date('2026-11-15T01:06:55Z'))).toBeNull()
        expect(await agent.getSessionInfo(world.session, world.options(new Date()))).toBeNull()
      })

      it('S1.66 S1.68 uses native files and no activity log of ao', () => {
        expect(agent.activitySource).toBe('native')
        expect(agent.recordActivity).toBeUndefined()
      })
    })

    describe('the launch command', () => {
      it.each(PROMPTS)('hands over a prompt with %s as one untouched argument', async (_what, prompt) => {
        const launch = world.launch({ prompt })
        await agent.prepare!(launch)
        const command = agent.getLaunchCommand(launch)
        expect(command.at(-1)).toBe(prompt)
        expect(command.at(-2)).toBe('--')
        expect(command.filter((argument) => argument === '--')).toHaveLength(1)
      })

      it('starts bare without a prompt', async () => {
        const command = agent.getLaunchCommand(world.launch())
        expect(command[0]).toBe(subject.program)
        expect(command).not.toContain('--')
      })

      it.each(Object.entries(subject.permissionFlags) as Array<[PermissionMode, string[]]>)(
        'maps the permission mode %s to %j',
        (permissions, flags) => {
          const command = agent.getLaunchCommand(world.launch({ permissions }))
          const others = Object.values(subject.permissionFlags).flat()
          expect(command.filter((argument) => others.includes(argument))).toEqual(flags)
        },
      )

      it('takes the model, further arguments and another command from the configuration', () => {
        const config = { command: ['/opt/wrap it', 'run'], args: ['--one', 'two words'] }
        const command = agent.getLaunchCommand(world.launch({ model: 'some-model', config, prompt: 'go' }))
        expect(command.slice(0, 2)).toEqual(['/opt/wrap it', 'run'])
        expect(command[command.indexOf('--model') + 1]).toBe('some-model')
        expect(command.slice(command.indexOf('--one'))).toEqual(['--one', 'two words', '--', 'go'])
      })

      it('S2.37 hands over 100 KB of instructions unabridged', async () => {
        const instructions = `first "line"\n${'a rule with \\ and ünïcode.\n'.repeat(4_000)}last`.slice(0, 102_400)
        const launch = withInstructions(world, instructions, { prompt: 'go' })
        await agent.prepare!(launch)
        const command = agent.getLaunchCommand(launch)
        expect(longest(command)).toBeLessThanOrEqual(MAX_ARGUMENT_BYTES)
        expect(subject.instructionsIn(command)).toContain(instructions)
      })

      it('hands over a task and instructions that fit on no command line', async () => {
        const task = `the task\n${'a sentence of it. '.repeat(30_000)}its end`
        const launch = withInstructions(world, 'rule. '.repeat(60_000), { prompt: task })
        await agent.prepare!(launch)
        const command = agent.getLaunchCommand(launch)
        expect(longest(command)).toBeLessThanOrEqual(MAX_ARGUMENT_BYTES)
        expect(subject.taskIn(command)).toContain(task)
        expect(subject.instructionsIn(command)).toContain('rule. '.repeat(60_000))
      })

      it('sets an environment of plain texts', () => {
        const environment = agent.getEnvironment(world.launch({ permissions: 'skip' }))
        expect(Object.values(environment).every((value) => typeof value === 'string')).toBe(true)
      })

      it('S1.67 touches nothing in the worktree', async () => {
        await agent.prepare!(world.launch({ prompt: 'go' }))
        await subject.stage(world, 'finished')
        await state(new Date())
        await agent.getSessionInfo(world.session, world.options(new Date()))
        expect(world.worktreeChanges()).toBe('')
      })
    })

    describe('what it knows about the session', () => {
      it('S2.50 S3.10 reports summary, model, tokens, cost and its own session id', async () => {
        const { stagedBy, ...expected } = subject.info(world)
        const now = await subject.stage(world, stagedBy)
        expect(await agent.getSessionInfo(world.session, world.options(now))).toEqual(expected)
        // The cache gives the same.
        expect(await agent.getSessionInfo(world.session, world.options(now))).toEqual(expected)
      })

      it('says the same when its cache is damaged', async () => {
        const { stagedBy, ...expected } = subject.info(world)
        const now = await subject.stage(world, stagedBy)
        await agent.getSessionInfo(world.session, world.options(now))
        const cache = `${world.stateDir}/usage-cache.json`
        const content = readFileSync(cache, 'utf8')
        for (const damage of [content.slice(0, -20), content.replace(/\d/g, '7'), '[]', '{"entries":1}', '']) {
          writeFileSync(cache, damage)
          expect(await agent.getSessionInfo(world.session, world.options(now))).toEqual(expected)
        }
      })

      it('confirms a message by its own records, from the moment it was entered', async () => {
        const { text, at, stagedBy } = subject.prompt(world)
        const now = await subject.stage(world, stagedBy)
        const seen = (message: string, since: Date) => agent.hasSeen!(world.session, message, since, world.options(now))
        expect(await seen(text, new Date(at.getTime() - 2_000))).toBe(true)
        expect(await seen(`  ${text.replaceAll(' ', '\n')} `, new Date(at.getTime() - 2_000))).toBe(true)
        expect(await seen(text, new Date(at.getTime() + 60_000))).toBe(false)
        expect(await seen('something that nobody said', new Date(at.getTime() - 2_000))).toBe(false)
      })
    })

    describe('restore', () => {
      it('S0.76 S0.79 has nothing to resume when there was no session', async () => {
        expect(await agent.getRestoreCommand!(world.session, world.launch())).toBeNull()
        await agent.prepare!(world.launch())
        expect(await agent.getRestoreCommand!(world.session, world.launch())).toBeNull()
      })

      it.each(['kill -9', 'exited', 'finished'] as const)(
        'S0.75 S0.77 S0.78 resumes its own session after %s with the same flags',
        async (moment) => {
          await subject.stage(world, moment)
          const launch = withInstructions(world, 'the rules', { permissions: 'auto-edit', model: 'm' })
          const command = (await agent.getRestoreCommand!(world.session, launch))!
          await agent.prepare!({ ...launch, isResume: true })
          for (const word of subject.resumeWords) expect(command).toContain(word)
          expect(command).toContain(subject.agentSessionId)
          expect(command).toEqual(expect.arrayContaining([...subject.permissionFlags['auto-edit'], '--model', 'm']))
          expect(subject.instructionsIn(command)).toContain('the rules')
        },
      )

      it('finds the session by its workspace when the state directory was lost', async () => {
        await subject.stage(world, 'finished')
        loseStateDir(world)
        expect(await agent.getRestoreCommand!(world.session, world.launch())).toContain(subject.agentSessionId)
        loseStateDir(world)
        const elsewhere = { ...world.launch(), workspacePath: `${world.workspacePath}-other` }
        expect(await agent.getRestoreCommand!(world.session, elsewhere)).toBeNull()
      })

      it('does not take what an earlier session left for the activity of a new launch', async () => {
        await subject.stage(world, 'kill -9')
        await agent.prepare!(world.launch({ prompt: 'again' }))
        expect(await state(new Date('2099-01-01T00:00:00Z'))).toBeNull()
      })
    })

    describe('files that are not what they should be', () => {
      const damages: Array<[string, (path: string) => void]> = [
        ['cut in the middle', (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
        ['empty', (path) => truncateSync(path, 0)],
        ['gone', (path) => rmSync(path)],
        ['binary', (path) => writeFileSync(path, Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7) % 256)))],
        [
          'other JSON',
          (path) => writeFileSync(path, 'null\n[]\n"x"\n{"type":7,"timestamp":{},"message":[],"payload":3}\n'),
        ],
        ['one endless line', (path) => writeFileSync(path, `{"type":"user","x":"${'x'.repeat(40_000_000)}`)],
        ['a directory', (path) => replaceBy(path, () => mkdirSync(path))],
        ['a pipe that nobody writes', (path) => replaceBy(path, () => spawnSync('mkfifo', [path]))],
        ['a circle of links', (path) => replaceBy(path, () => spawnSync('ln', ['-s', path, path]))],
      ]
      it.each(damages)('never throws and never hangs when they are %s', async (_what, damage) => {
        const now = await subject.stage(world, 'finished')
        for (const path of subject.files(world)) damage(path)
        const options = world.options(now)
        const started = performance.now()
        await agent.getActivityState(world.session, options)
        await agent.getSessionInfo(world.session, options)
        expect(await agent.hasSeen!(world.session, 'hello there', now, options)).not.toBe(true)
        await agent.getRestoreCommand!(world.session, world.launch())
        expect(Array.isArray(agent.getLaunchCommand(world.launch({ prompt: 'go' })))).toBe(true)
        expect(performance.now() - started).toBeLessThan(10_000)
      })
    })

    describe('the screen, as the last resort', () => {
      it.each(subject.screens)('S0.53 sees in %s that it is %s', (file, expected) => {
        expect(agent.detectActivity(readTelemetry(file))).toBe(expected)
      })

      it('S0.53 says nothing about an empty screen or plain output', () => {
        expect(agent.detectActivity('')).toBeNull()
        expect(agent.detectActivity('\n  \n')).toBeNull()
        expect(agent.detectActivity('npm test\n12 passed\n')).toBeNull()
      })
    })
  })
}

function withInstructions(world: AgentWorld, text: string, overrides: Partial<AgentLaunch>): AgentLaunch {
  const systemPromptFile = `${world.stateDir}/system-prompt.md`
  mkdirSync(dirname(systemPromptFile), { recursive: true })
  writeFileSync(systemPromptFile, text)
  return world.launch({ ...overrides, systemPromptFile })
}

function loseStateDir({ stateDir }: AgentWorld): void {
  rmSync(stateDir, { recursive: true })
  mkdirSync(stateDir)
}

function longest(command: string[]): number {
  return Math.max(...command.map((argument) => Buffer.byteLength(argument)))
}

function replaceBy(path: string, make: () => unknown): void {
  rmSync(path, { recursive: true, force: true })
  make()
}
