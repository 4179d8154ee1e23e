// What the documentation shows must work: links lead somewhere, commands and options exist, configurations are valid.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { COMMANDS as AGH_COMMANDS } from '../src/cli/agh/commands.ts'
import { COMMANDS as AO_COMMANDS } from '../src/cli/ao/commands.ts'
import { parseArguments, takeConfigOption } from '../src/cli/arguments/parse-arguments.ts'
import type { CommandTable } from '../src/cli/command.ts'
import { findCommand } from '../src/cli/command-table.ts'
import { chooseJson } from '../src/cli/print/select-json.ts'
import { validateConfig } from '../src/config/validate-config.ts'
import { AoError } from '../src/contract/errors.ts'
import {
  commandLines,
  fencedBlocks,
  headingSlugs,
  inlineCommands,
  relativeLinks,
  shellCommands,
} from './support/read-markdown.ts'
import { type AoWorld, buildAo, createAoWorld } from './support/run-ao.ts'

const ROOT = join(import.meta.dirname, '..')
const pages = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
  join('skills', 'ao', 'SKILL.md'),
].map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') }))
/** Programs that pages use beside ours; a new one belongs here when readers can be expected to have it. */
const PROGRAMS = [
  ...[
    'npm',
    'git',
    'gh',
    'curl',
    'jq',
    'ssh',
    'sudo',
    'cd',
    'echo',
    'mkdir',
    'cp',
    'date',
    'printf',
    'openssl',
    'cut',
    'cat',
  ],
  ...['claude', 'codex', 'opencode', 'gemini', 'qwen', 'pi', 'copilot', 'source', 'Out-String', 'Invoke-Expression'],
]
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }
const textOf = (name: string) => pages.find((page) => page.name === name)!.text

describe('links', () => {
  it.each(pages)('of $name lead to a file and a heading that are there', ({ name, text }) => {
    for (const link of relativeLinks(text)) {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? name : relative(ROOT, resolve(ROOT, dirname(name), path))
      expect(existsSync(join(ROOT, target)), `${name}: ${link}`).toBe(true)
      if (anchor !== undefined) expect(headingSlugs(readFileSync(join(ROOT, target), 'utf8')), link).toContain(anchor)
    }
  })

  it('lead from the README to every page', () => {
    const reached = new Set(['README.md'])
    for (const name of reached) {
      const links = relativeLinks(pages.find((page) => page.name === name)?.text ?? '')
      for (const link of links) reached.add(relative(ROOT, resolve(ROOT, dirname(name), link.split('#')[0]!)))
    }
    expect(pages.map(({ name }) => name).filter((name) => name.startsWith('docs/') && !reached.has(name))).toEqual([])
  })
})

it('the pages are short enough to be finished: at most 31,000 words that people wrote', () => {
  const generated = [
    'commands',
    'configuration',
    'errors',
    'agh-reference',
    'records',
    'agents-measured',
    'reliability',
  ]
  const isGenerated = (name: string) => generated.some((one) => name === `docs/${one}.md`)
  const read = pages.filter(({ name }) => /^docs\/(?!design|ARCH)|^README/.test(name) && !isGenerated(name))
  expect(read.reduce((sum, { text }) => sum + text.split(/\s+/).length, 0)).toBeLessThan(31_000)
})

describe('llms.txt', () => {
  it('lists every page with its title, for programs', async () => {
    const script: { llmsText(): string } = await import(join(ROOT, 'scripts', 'site', 'pages.mjs'))
    const text = script.llmsText()
    const listed = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, path]) => path)
    const docs = pages.map(({ name }) => name).filter((name) => /^docs\/(?!design)/.test(name))
    expect(docs.filter((name) => !listed.includes(name))).toEqual([])
    expect(text).not.toContain('`')
  })
})

describe('command lines', () => {
  const tables: Record<string, CommandTable> = { ao: AO_COMMANDS, agh: AGH_COMMANDS }

  it.each(pages)('in the blocks of $name could be typed', async ({ text }) => {
    for (const parts of commandLines(text)) await expectRunnable(parts, { whole: true })
  })

  it.each(pages)('in the sentences of $name name what exists', async ({ text }) => {
    for (const parts of inlineCommands(text)) await expectRunnable(parts, { whole: false })
  })

  it('are shell that parses, of programs that a reader has, and scripts that package.json has', () => {
    for (const { name, text } of pages) {
      const shell = spawnSync('bash', ['-n'], { input: fencedBlocks(text, 'sh').join('\n'), encoding: 'utf8' })
      expect(shell.stderr, name).toBe('')
      for (const [program = '', ...rest] of shellCommands(text)) {
        expect([...Object.keys(tables), ...PROGRAMS], `${name}: ${program}`).toContain(program)
        if (program !== 'npm') continue
        const [word = '', script = ''] = rest
        if (word === 'run' || word === 'test' || word === 'start') {
          expect(Object.keys(scripts), name).toContain(word === 'run' ? script : word)
        } else expect(['pack', 'install', 'uninstall', 'root', 'config', 'ci'], `${name}: npm ${word}`).toContain(word)
      }
    }
  })

  /** `whole`: with all the arguments that it needs. */
  async function expectRunnable([program = '', ...rest]: string[], { whole }: { whole: boolean }): Promise<void> {
    const table = tables[program]!
    const parts = program === 'ao' ? takeConfigOption(rest).argv : rest
    if (parts.length === 0 || /^[-<]/.test(parts[0]!)) return
    const isGroup = parts.length === 1 && table.some(({ name }) => name.startsWith(`${parts[0]} `))
    if (!whole && isGroup) return
    const found = findCommand(table, parts, program)
    if (found.kind === 'help') return
    const command = await found.entry.load()
    if (command.runRaw || found.rest.includes('--help')) return
    try {
      parseArguments(command, chooseJson(command, found.rest, {}).argv)
    } catch (error) {
      if (!whole && error instanceof AoError && error.message.includes('is missing')) return
      throw new Error(`${program} ${parts.join(' ')}: ${String(error)}`)
    }
  }
})

describe('configurations', () => {
  const shown = pages.flatMap(({ name, text }) => fencedBlocks(text, 'yaml').map((yaml) => ({ name, yaml })))

  it.each(shown)('of $name are valid: $yaml', ({ yaml }) => {
    const value = parse(yaml) as Record<string, unknown>
    const isProject = 'agentConfig' in value
    const projects = { app: isProject ? { path: '.', ...value } : { path: '.' } }
    const asFile = isProject ? { projects } : { projects, ...withPaths(value) }
    expect(validateConfig(asFile)).not.toHaveProperty('problems')
  })

  /** A part of a project that is shown without its path. */
  function withPaths(value: Record<string, unknown>): Record<string, unknown> {
    if (typeof value.projects !== 'object' || value.projects === null) return value
    const projects = Object.entries(value.projects).map(([id, project]) => [id, { path: '.', ...(project as object) }])
    return { ...value, projects: Object.fromEntries(projects) }
  }
})

describe('the example plugin', () => {
  let world: AoWorld
  beforeAll(buildAo)
  beforeEach(() => {
    world = createAoWorld()
  })
  afterEach(async () => {
    expect(await world.temp.cleanup()).toEqual([])
  })

  it('is loaded as docs/plugins.md shows it, and rings', async () => {
    const text = textOf('docs/plugins.md')
    const configuration = fencedBlocks(text, 'yaml').find((yaml) => yaml.includes('tools/bell'))
    mkdirSync(join(world.repo, 'tools', 'bell'), { recursive: true })
    writeFileSync(join(world.repo, 'tools', 'bell', 'index.ts'), fencedBlocks(text, 'ts')[0]!)
    writeFileSync(
      join(world.repo, 'agent-orchestrator.yaml'),
      `${configuration}projects:\n  app:\n    path: .\n    agent: demo\n`,
    )
    expect(await world.ao(['config', 'trust', '--yes'])).toMatchObject({ code: 0 })
    const { plugins } = await world.json<{ plugins: object[] }>(['plugin', 'ls'])
    expect(plugins).toContainEqual(
      expect.objectContaining({ slot: 'notifier', name: 'bell', description: 'Rings the terminal bell', loaded: true }),
    )
    const rung = await world.ao(['doctor', '--test-notify'])
    expect(rung.stdout).toContain('PASS notifier bell: a test was delivered')
    expect(rung.stderr).toContain('\u0007This is a test')
  })
})
