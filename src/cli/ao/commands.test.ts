import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { OrchestratorConfig, ProjectConfig } from '../../contract/config.ts'
import { PERSON, type Right, type Rights, refuseCommand } from '../../core/boundary/rights.ts'
import { orchestratorPrompt } from '../../core/prompt/orchestrator-prompt.ts'
import type { Role } from '../../core/session/plan-launch.ts'
import { findCommand, loadGroups, loadTools } from '../command-table.ts'
import { COMMANDS } from './commands.ts'
import { renderDocs } from './docs/docs.ts'

const loaded = await Promise.all(COMMANDS.map(async (entry) => ({ entry, command: await entry.load() })))
const inside: Readonly<Record<string, Rights>> = Object.fromEntries(
  loaded.map(({ command }) => [command.name, command.inside ?? PERSON]),
)

describe('the table of commands', () => {
  it.each(loaded)('$entry.name: its definition bears the same name', ({ entry, command }) => {
    expect(command.name).toBe(entry.name)
  })

  it('says which commands are tools exactly as the commands do', async () => {
    const tools = loaded.filter(({ command }) => command.tool !== undefined).map(({ command }) => command.name)
    expect((await loadTools(COMMANDS)).map(({ name }) => name)).toEqual(tools)
  })

  it.each(loaded)('$entry.name: about is one line without a full stop', ({ command }) => {
    expect(command.about).toMatch(/^[A-Z][^\n]*[^.\n]$/)
    expect(command.about.length).toBeLessThan(90)
  })

  it.each(loaded)('$entry.name: short options are unique and not -h', ({ command }) => {
    const shorts = Object.values(command.options as Record<string, { short?: string }>).flatMap(
      ({ short }) => short ?? [],
    )
    expect(new Set([...shorts, 'h']).size).toBe(shorts.length + 1)
  })

  it.each(loaded)(
    '$entry.name: only the last argument is variadic, and none is required after an optional one',
    ({ command }) => {
      const specs = Object.values(command.args as Record<string, { variadic?: true; required?: true }>)
      expect(specs.slice(0, -1).some(({ variadic }) => variadic)).toBe(false)
      const firstOptional = specs.findIndex(({ required }) => !required)
      expect(firstOptional !== -1 && specs.slice(firstOptional).some(({ required }) => required)).toBe(false)
    },
  )

  it.each(loaded.filter(({ command }) => 'json' in command.options))(
    '$entry.name: the shape of its JSON is documented',
    ({ command }) => {
      expect(command.json).toBeTruthy()
    },
  )
})

describe('what an agent inside a session may run', () => {
  const allowed = (role: Role, right: Right) =>
    Object.entries(inside).flatMap(([name, rights]) => (rights[role] === right ? [name] : []))

  it('a command that says nothing about it is refused', () => {
    const caller = { kind: 'orchestrator', sessionId: 'app-1', projectId: 'app', token: null } as const
    const command = { name: 'brand new' }
    expect(refuseCommand(caller, { program: 'ao', command, session: 'app-1' })).toContain('is not for')
  })

  it('D21 a worker: its own session, and reading issues, pull requests and the configuration', () => {
    expect(allowed('worker', 'own')).toEqual([
      'session show',
      'session diff',
      'session transcript',
      'session log',
      'events',
      'why',
      'session claim-pr',
    ])
    expect(allowed('worker', 'yes')).toEqual([
      ...[
        'plan propose',
        'issue ls',
        'issue show',
        'issue comment',
        'pr ls',
        'pr view',
        'pr diff',
        'pr checks',
        'pr comment',
        'pr reply',
        'review ls',
        'land ls',
        'land why',
        'claim',
      ],
      ...['config show', 'config schema', 'config validate', 'plugin ls', 'feedback new'],
      ...['version', 'openapi', 'mcp', 'completion', 'gh', '__complete', '__docs'],
    ])
  })

  it('D21 an orchestrator in addition: spawn, send and read everything', () => {
    const more = allowed('orchestrator', 'yes').filter((name) => inside[name]?.worker !== 'yes')
    expect(more).toEqual([
      ...[
        'spawn',
        'batch-spawn',
        'status',
        'session ls',
        'session show',
        'session diff',
        'session transcript',
        'session log',
        'session wait',
        'events',
        'radar',
        'compare',
        'why',
        'send',
        'session fork',
        'issue new',
      ],
      ...['feedback ls', 'feedback show'],
    ])
  })

  it('may run what its prompt asks an orchestrator to run', () => {
    const project = {
      id: 'app',
      name: 'App',
      path: '/app',
      defaultBranch: 'main',
      sessionPrefix: 'app',
    } as ProjectConfig
    const config = { projects: { app: project } } as unknown as OrchestratorConfig
    const lines = [...orchestratorPrompt({ project, config }).matchAll(/`(ao [^`]+)`/g)].map((match) => match[1]!)
    expect(lines.length).toBeGreaterThan(8)
    for (const line of lines) {
      const found = findCommand(COMMANDS, line.split(' ').slice(1))
      expect(found.kind === 'command' && inside[found.entry.name]?.orchestrator, line).toBe('yes')
    }
  })
})

describe('docs/commands.md', () => {
  const file = join(import.meta.dirname, '..', '..', '..', 'docs', 'commands.md')

  it('is what the table says; write it again with: node dist/ao.js __docs > docs/commands.md', async () => {
    expect(readFileSync(file, 'utf8')).toBe(renderDocs(await loadGroups(COMMANDS)))
  })

  it('S0.84 advises descriptive prefixes of 2 to 4 characters', () => {
    expect(readFileSync(file, 'utf8')).toMatch(/prefixes of 2 to 4 characters/)
  })
})
