// What the documentation shows must work: links lead somewhere, commands and options exist, configurations are valid.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { COMMANDS as AGH_COMMANDS } from '../src/cli/agh/commands.ts'
import { COMMANDS as AO_COMMANDS } from '../src/cli/ao/commands.ts'
import { takeConfigOption } from '../src/cli/arguments/lex-argv.ts'
import { parseArguments } from '../src/cli/arguments/parse-arguments.ts'
import type { CommandTable } from '../src/cli/command.ts'
import { findCommand } from '../src/cli/command-table.ts'
import { validateConfig } from '../src/config/validate-config.ts'
import { AoError } from '../src/contract/errors.ts'
import { commandLines, fencedBlocks, headingSlugs, inlineCommands, relativeLinks } from './support/read-markdown.ts'
import { type AoWorld, buildAo, createAoWorld } from './support/run-ao.ts'

const ROOT = join(import.meta.dirname, '..')
const pages = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
  join('skills', 'ao', 'SKILL.md'),
].map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') }))
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
    const linked = new Set(relativeLinks(textOf('README.md')).map((link) => link.split('#')[0]))
    const docs = pages.map(({ name }) => name).filter((name) => name.startsWith('docs/'))
    const fromPages = (name: string) =>
      pages.some(({ text }) => relativeLinks(text).some((link) => link.startsWith(name)))
    expect(docs.filter((name) => !linked.has(name) && !fromPages(name.slice('docs/'.length)))).toEqual([])
  })
})

describe('command lines', () => {
  const tables: Record<string, CommandTable> = { ao: AO_COMMANDS, agh: AGH_COMMANDS }

  it.each(pages)('in the blocks of $name could be typed', async ({ text }) => {
    for (const words of commandLines(text)) await expectRunnable(words, { whole: true })
  })

  it.each(pages)('in the sentences of $name name what exists', async ({ text }) => {
    for (const words of inlineCommands(text)) await expectRunnable(words, { whole: false })
  })

  /** `whole`: with all the arguments that it needs. */
  async function expectRunnable([program = '', ...rest]: string[], { whole }: { whole: boolean }): Promise<void> {
    const table = tables[program]!
    const words = program === 'ao' ? takeConfigOption(rest).argv : rest
    if (words.length === 0 || /^[-<]/.test(words[0]!)) return
    const isGroup = words.length === 1 && table.some(({ name }) => name.startsWith(`${words[0]} `))
    if (!whole && isGroup) return
    const found = findCommand(table, words, program)
    if (found.kind === 'help') return
    const command = await found.entry.load()
    if (command.runRaw || found.rest.includes('--help')) return
    try {
      parseArguments(command, found.rest)
    } catch (error) {
      if (!whole && error instanceof AoError && error.message.includes('is missing')) return
      throw new Error(`${program} ${words.join(' ')}: ${String(error)}`)
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
