// Guards the arrows between the folders and the habits that no linter knows. One literal table each.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findCycles, readSources, type SourceFile, type SourceImport, scanSource } from './support/scan-source.ts'

const SRC = join(import.meta.dirname, '..', 'src')
const WEB = join(import.meta.dirname, '..', 'web', 'src')

/** A folder imports from itself and from rows above its own. Folders in one row do not know each other. */
const LEVELS: ReadonlyArray<readonly string[]> = [
  ['contract'],
  ['core'],
  ['lib'],
  ['http', 'slots'],
  ['git', 'store'],
  ['host'],
  ['config'],
  ['inside'],
  ['agh', 'landing'],
  ['forge'],
  ['plugins', 'manager', 'mcp', 'search'],
  ['lifecycle'],
  ['dashboard', 'rehearsal'],
  ['cli', 'index.ts'],
  ['gh'],
  ['plugin.ts'],
]

/** `ao gh` is a row of the table of commands, which loads the façade when it is called. Nothing else knows it. */
const LOADS_GH = ['cli/ao/commands.ts', 'gh/gh-command.ts'] as const

/** The local forge is known to its plugins and to the façade of gh. Everybody else knows forges by their slot. */
const KNOWS_FORGE = /^(?:forge|gh|plugins\/(?:scm-local|tracker-local))\//

/** What the plugins of one slot share. Every other folder is a plugin and is independent. */
const SHARED_PLUGIN_FOLDERS: readonly string[] = [
  'agent-files',
  'agent-table',
  'http-api',
  'forge-git',
  'github-api',
  'gitlab-api',
  'forgejo-api',
  'notify-http',
  'runtime-process',
  'runtime-acp',
  'place',
]

/** Folders of pure decisions, and what would make them impure. */
const PURE_FOLDERS: readonly string[] = ['contract', 'core']
const IMPURITIES: ReadonlyArray<readonly [what: string, pattern: RegExp]> = [
  ['a clock', /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b/],
  ['randomness', /\bMath\.random\b|\brandomUUID\b/],
  ['the process', /\bprocess\./],
  ['waiting', /\bawait\b/],
]

/** Folders that act through capabilities: the name of a plugin in them is a special case in disguise. */
const NAMELESS_FOLDERS: readonly string[] = ['core', 'manager']
/** Plugins whose name is also a word of something else: here the scheme of an address. */
const ALSO_WORDS: readonly string[] = ['ssh']

/** A folder that fits in one view, and is worth opening. Tests beside the sources are not counted. */
const FILES_A_FOLDER = { least: 3, most: 20 } as const
/** A plugin is a folder, however small. */
const PLUGIN_FOLDER = /^src\/plugins\/[^/]+$/
/** Folders of one or two files, each with its reason. Only ever remove a line here. */
const SMALL_FOLDERS: Readonly<Record<string, string>> = {
  src: 'the library and the entry for plugin authors',
  'src/agh/tasks': 'tasks of agh on a schedule',
  'src/core/telemetry': 'what lifecycle/telemetry exports',
  'src/host/old': 'the protocols of the version before; goes with them',
  'src/lifecycle/telemetry': 'export to a collector',
  'web/src/pages/archive': 'a page is a folder',
  'web/src/pages/settings/devices': 'one part of the settings',
  'web/src/ui/markdown': 'loaded by itself, when needed',
  'web/src/ui/plot': 'loaded by itself, when needed',
}
/** Everything else goes through `plain-file.ts`. By the name of the file, so that it may move. */
const MAY_OPEN_FILES: Readonly<Record<string, string>> = {
  'plain-file.ts': 'it is the one place',
  'atomic-write.ts': 'makes new files, and syncs directories',
  'process-identity.ts': '/proc',
  'process-table.ts': '/proc',
  'ancestor-environments.ts': '/proc',
  'supervise-turn.ts': '/proc',
  'peer-process.ts': '/proc',
  'entry.ts': "its own package's files, before anything is loaded",
  'page-files.ts': 'files of the page in its own package',
  'read-text.ts': 'a file that a person names, which may well be a pipe: --file <(...)',
  'post-create.ts': 'has seen that each one is a plain file of the repository',
  'restore-state.ts': 'a file that git has just written for it',
  'write-message-file.ts': 'directories of a workspace, never through a link, and new files in them',
  'object-cache.ts': 'a pack that git has just written for it',
  'socket-path.ts': 'a directory, to reach a socket in it by a short name',
}

/**
 * `...(x === undefined ? {} : { x })`: only where a key without a value differs from a missing key (headers, an
 * environment, a default before it). Everything else declares `x?: T | undefined` and passes `x`. Only ever lower these.
 */
const CONDITIONAL_SPREADS: ReadonlyArray<readonly [where: string, pattern: RegExp, most: number]> = [
  ['agh', /^(?:core\/|contract\/)?agh\//, 23],
  ['everything else', /^(?!(?:core\/|contract\/)?agh\/)/, 17],
]

/** Commands that people and scripts run all day: a library that is loaded with them costs more than the command itself. */
const SHORT_COMMANDS: readonly string[] = [
  'cli/ao/commands.ts',
  'cli/ao/session/ls.ts',
  'cli/ao/report/status.ts',
  'cli/agh/commands.ts',
  'cli/agh/session-read.ts',
]

const FORBIDDEN_NAMES = /^(utils?|helpers?|common|misc)(\.|$)/

const sources = readSources(SRC)

describe('the arrows between folders', () => {
  it('knows the place of every folder', () => {
    const allowed = new Set(LEVELS.flat())
    expect([...new Set(sources.map((file) => folderOf(file.path)))].filter((folder) => !allowed.has(folder))).toEqual(
      [],
    )
  })

  it('lets a folder import only from folders before it', () => {
    expect(sources.flatMap(arrowViolations)).toEqual([])
  })

  it('keeps plugins apart from each other', () => {
    expect(sources.flatMap(pluginViolations)).toEqual([])
  })

  it('loads the façade of gh in one place, and only when it is called', () => {
    const found = sources.flatMap((file) =>
      file.imports
        .filter(({ target }) => target !== null && folderOf(target) === 'gh' && folderOf(file.path) !== 'gh')
        .map(({ target, isDynamic }) => [file.path, target, isDynamic]),
    )
    expect(found).toEqual([[...LOADS_GH, true]])
  })

  it('knows forges by their slot, never the local one by its files', () => {
    const found = sources
      .filter(({ path }) => !KNOWS_FORGE.test(path))
      .flatMap(({ path, imports }) =>
        imports.filter(({ target }) => target?.startsWith('forge/')).map(({ specifier }) => `${path} -> ${specifier}`),
      )
    expect(found).toEqual([])
    expect(sources.filter(({ path }) => path.startsWith('forge/')).length).toBeGreaterThan(20)
  })

  it('has no circle of imports', () => {
    expect(findCycles(sources)).toEqual([])
  })

  it('has no circle of imports that are made when needed, either', () => {
    expect(findCycles(sources, { isLazy: true })).toEqual([])
  })

  it('imports only files that exist', () => {
    const missing = sources.flatMap((file) =>
      file.imports
        .filter((one) => one.target !== null && !existsSync(join(SRC, one.target)))
        .map((one) => `${file.path} -> ${one.specifier}`),
    )
    expect(missing).toEqual([])
  })
})

describe('git', () => {
  /** Starting it in any other way would obey replacements, hooks and settings that agents can write. */
  const STARTS_GIT = /\b(?:exec|execFile|execFileSync|spawn|spawnSync|startProgram)\(\s*(['"`])(?:[^'"`\s]*\/)?git\1/

  const MAY_START_GIT: Readonly<Record<string, string>> = {
    'git/git.ts': 'it is the one place',
    'plugins/agent-demo/script/hands.ts': 'the hands of an agent, with an agent’s own git',
  }

  it('is started in one place, which believes nothing that agents can write', () => {
    const starting = sources.filter(({ text }) => STARTS_GIT.test(text)).map(({ path }) => path)
    expect(starting.sort()).toEqual(Object.keys(MAY_START_GIT).sort())
  })
})

describe('short commands', () => {
  const byPath = new Map(sources.map((file) => [file.path, file]))

  const isLoaded = ({ isDynamic, isType }: SourceImport) => !isDynamic && !isType

  /** All files that are loaded with this one. */
  function loadedWith(path: string, found = new Set<string>()): Set<string> {
    const file = byPath.get(path)
    if (file === undefined || found.has(path)) return found
    found.add(path)
    for (const { target } of file.imports.filter(isLoaded)) if (target !== null) loadedWith(target, found)
    return found
  }

  it.each(SHORT_COMMANDS)('%s is loaded without any library', (path) => {
    expect(byPath.has(path)).toBe(true)
    const libraries = [...loadedWith(path)].flatMap((one) =>
      byPath
        .get(one)!
        .imports.filter((imported) => isLoaded(imported) && !/^(\.|node:)/.test(imported.specifier))
        .map(({ specifier }) => `${one} -> ${specifier}`),
    )
    expect(libraries).toEqual([])
  })

  it('agh is loaded without anything of ao', () => {
    const others = [...loadedWith('cli/agh/commands.ts')].filter((path) =>
      /^(cli\/ao|plugins|manager|lifecycle)\//.test(path),
    )
    expect(others).toEqual([])
  })
})

describe('the pure folders', () => {
  it('use nothing of node', () => {
    const found = inFolders(PURE_FOLDERS).flatMap((file) =>
      file.imports.filter((one) => one.specifier.startsWith('node:')).map((one) => `${file.path} -> ${one.specifier}`),
    )
    expect(found).toEqual([])
  })

  it.each(IMPURITIES)('know nothing of %s', (_what, pattern) => {
    expect(linesMatching(inFolders(PURE_FOLDERS), pattern)).toEqual([])
  })
})

describe('the habits', () => {
  it('asks for capabilities in core and manager, never for a plugin by name', () => {
    const names = pluginNames()
    const found = inFolders(NAMELESS_FOLDERS).flatMap((file) =>
      [...file.code.matchAll(/(['"`])([a-z0-9-]+)\1/g)]
        .filter((match) => names.has(match[2]!))
        .map((match) => `${file.path}: ${match[0]}`),
    )
    expect(found).toEqual([])
  })

  it('builds the address of a page in one place: the port of the running server counts, not the configured one', () => {
    const allowed = ['slots/page-address.ts', 'lifecycle/loop/run-state.ts']
    const others = sources.filter(({ path }) => !allowed.includes(path))
    expect(linesMatching(others, /(?:localhost|127\.0\.0\.1):\$\{/)).toEqual([])
  })

  it('reads the record of a session by its table, never by the name of a key', () => {
    // Objects of Kubernetes have `metadata` too.
    const outside = sources.filter((file) => !/^(?:agh|plugins\/runtime-kubernetes|core\/agh|store)\//.test(file.path))
    expect(linesMatching(outside, /\bmetadata\??\.[a-z]\w*|\bpairs\??\.[a-z]\w*\b(?!\()/)).toEqual([])
  })

  it('declares no slot member that is unused outside the plugins', () => {
    const members = inFolders(['slots']).flatMap((file) => {
      const slots = file.code.matchAll(
        /export interface (?:Agent|Runtime|Workspace|Tracker|Scm|Notifier|Terminal|SessionEvents) \{(.*?)\n\}/gs,
      )
      return [...slots].flatMap(([, body]) =>
        [...body!.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(<]/gm)].map((match) => match[1]!),
      )
    })
    expect(members.length).toBeGreaterThan(40)
    const users = sources
      .filter((file) => !/^(?:slots|plugins)\//.test(file.path))
      .map((file) => file.code)
      .join('\n')
    // Called, read, destructured, or named as an ability.
    const isUsed = (name: string) => new RegExp(`[.'{,]\\s*${name}\\b`).test(users)
    expect(members.filter((name) => !isUsed(name))).toEqual([])
  })

  it.each(CONDITIONAL_SPREADS)('passes optional values plainly in %s', (_where, pattern, most) => {
    const files = sources.filter((file) => pattern.test(file.path))
    const found = linesMatching(files, /\.\.\.\(.*(?:\? \{\} :|: \{\}\))/)
    expect(found.slice(most), found.join('\n')).toEqual([])
  })

  it('exports by name', () => {
    expect(linesMatching(sources, /\bexport default\b|\bas default\b/)).toEqual([])
  })

  it('has no enum and no class but errors', () => {
    expect(linesMatching(sources, /\b(?:const )?enum [A-Z]|\bclass (?!\w+Error\b)\w+/)).toEqual([])
  })

  it('starts no part of ICU when a file is loaded: it costs every command 13 ms', () => {
    expect(linesMatching(sources, /^(?:export )?const .*\bnew Intl\./)).toEqual([])
  })

  it('has no file or folder named after nothing', () => {
    const nameless = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.split(/[\\/]/).some((part) => FORBIDDEN_NAMES.test(part)),
    )
    expect(nameless).toEqual([])
  })

  it(`has ${FILES_A_FOLDER.least} to ${FILES_A_FOLDER.most} files in a folder`, () => {
    const counts = filesInFolders()
    const large = [...counts].filter(([, count]) => count > FILES_A_FOLDER.most).map(([folder]) => folder)
    expect(large).toEqual([])
    const small = [...counts]
      .filter(([folder, count]) => count < FILES_A_FOLDER.least && !PLUGIN_FOLDER.test(folder))
      .map(([folder]) => folder)
    expect(small.sort()).toEqual(Object.keys(SMALL_FOLDERS).sort())
  })

  it('has a line in docs/design/folders.md about every folder, and none about others', () => {
    const text = readFileSync(join(SRC, '..', 'docs', 'design', 'folders.md'), 'utf8')
    const listed = [...text.matchAll(/^- `([^`]+)` \S/gm)].map(([, folder]) => folder!)
    const isShared = (folder: string) => SHARED_PLUGIN_FOLDERS.includes(folder.split('/').at(-1)!)
    const present = filesInFolders()
    const folders = [...present.keys()].filter((folder) => !PLUGIN_FOLDER.test(folder) || isShared(folder))
    const described = listed.filter((folder) => !PLUGIN_FOLDER.test(folder) || isShared(folder))
    expect(described.toSorted()).toEqual(
      folders.filter((folder) => !/\/runtime-(?:acp|process)$/.test(folder)).toSorted(),
    )
    expect(new Set(listed).size).toBe(listed.length)
    expect(listed.filter((folder) => !present.has(folder))).toEqual([])
  })

  it('has no catch without a word', () => {
    const silent = sources
      .filter((file) => /\bcatch\s*(?:\([^)]*\)\s*)?\{\s*\}/.test(file.text))
      .map((file) => file.path)
    expect(silent).toEqual([])
  })

  it('starts programs in one place, which gives the same answer when none can be started', () => {
    const starts = /\{[^}]*\b(?:spawn|execFile|exec|fork)\b[^}]*\} from 'node:child_process'/
    const found = sources.filter((file) => starts.test(file.code)).map((file) => file.path)
    expect(found).toEqual(['lib/start-program.ts'])
  })

  it('describes what a forge says about a pull request in contract/pull.ts, and nowhere in a fifth shape', () => {
    const FACTS = ['state', 'ci', 'review', 'mergeable', 'hasConflicts', 'checks']
    const found = [...sources, ...readSources(WEB)].flatMap(({ path, code }) =>
      [...code.matchAll(/\b(?:interface|type) (\w+)[^{};\n]*\{((?:[^{}]|\{[^{}]*\})*)\}/g)]
        .filter(([, , body = '']) => FACTS.filter((name) => new RegExp(`^ *${name}\\??:`, 'm').test(body)).length >= 3)
        .map(([, name]) => `${path}: ${name}`),
    )
    expect(found).toEqual(['contract/pull.ts: Pull', 'contract/pull.ts: PullFacts'])
  })

  it('removes trees in one place, where errors keep their codes', () => {
    const found = sources.filter((file) => /\brmSync\b/.test(file.bare)).map((file) => file.path)
    expect(found).toEqual(['lib/remove.ts'])
  })

  it('replaces modules only in test files that have a worker of their own: what another file has loaded stays as it is', () => {
    const root = join(SRC, '..')
    const alone = readFileSync(join(root, 'vitest.config.ts'), 'utf8')
    const files = globSync('{src,test,web/src}/**/*.test.{ts,tsx}', { cwd: root })
    const replacing = files.filter((path) => /^ *vi\.(?:do)?[mM]ock\(/m.test(readFileSync(join(root, path), 'utf8')))
    expect(replacing.length).toBeGreaterThan(3)
    expect(replacing.filter((path) => !alone.includes(`'${path}'`))).toEqual([])
  })

  it('sleeps in one place, which a signal can end', () => {
    const sleeps = /=> \(?(?:\w+ = )?setTimeout\(resolve\b|\{[^}]*\bsetTimeout\b[^}]*\} from 'node:timers/
    const found = sources.filter((file) => sleeps.test(file.code)).map((file) => file.path)
    expect(found.filter((path) => path !== 'lib/clock.ts')).toEqual([])
  })

  it('opens files in one place, which waits for no pipe and reads no device', () => {
    const waits = /\b(?:readFile|readFileSync|createReadStream|openSync|copyFile|copyFileSync|cpSync)\b/
    const found = sources.filter((file) => waits.test(file.bare)).map((file) => file.path.split('/').at(-1)!)
    expect(found.filter((name) => !Object.hasOwn(MAY_OPEN_FILES, name))).toEqual([])
    expect(Object.keys(MAY_OPEN_FILES).filter((name) => !found.includes(name))).toEqual([])
  })

  it('prints its largest files, so that swelling is seen', () => {
    const sizes = sources
      .map((file) => ({ path: file.path, lines: file.text.split('\n').length }))
      .sort((a, b) => b.lines - a.lines)
    const top = sizes.slice(0, 8).map(({ path, lines }) => `${String(lines).padStart(5)} ${path}`)
    console.log(`${sizes.length} files, the largest:\n${top.join('\n')}`)
    expect(sizes.filter((one) => one.lines > 500)).toEqual([])
  })
})

describe('a live session of agh', () => {
  const OWNER = 'agh/session/publish.ts'
  const agh = sources.filter(({ path }) => path.startsWith('agh/'))
  const others = agh.filter(({ path }) => path !== OWNER)
  const inSession = others.filter(({ path }) => path.startsWith('agh/session/'))
  const { code: declared } = agh.find(({ path }) => path === 'agh/session/live-session.ts')!
  const fields = [...declared.matchAll(/^ {2}(readonly )?(\w+)\??:/gm)]
  const named = `\\.(?:${fields.map(([, , name]) => name).join('|')})`
  const assigns = new RegExp(
    String.raw`${named}\s*(?:(?:[-+*/%&|^]|\?\?|\|\||&&)?=(?![=>])|\+\+|--)|(?:\+\+|--)\w+${named}\b`,
  )
  const changesInside = /\b(?:messages|timers)\.(?:set|add|delete|clear)\(|\bObject\.(?:assign|defineProperty)\(/

  it('has fields that cannot be assigned by mistake', () => {
    expect(fields.length).toBeGreaterThan(15)
    expect(fields.filter(([, readonly]) => !readonly).map(([, , name]) => name)).toEqual([])
  })

  it('is changed by its owner alone', () => {
    expect(linesMatching(others, assigns)).toEqual([])
    expect(linesMatching(inSession, changesInside)).toEqual([])
    expect(linesMatching([agh.find(({ path }) => path === OWNER)!], assigns).length).toBeGreaterThan(5)
  })

  it('has an event log that only its owner appends to, and metadata that only its owner saves', () => {
    /** Of sessions that are not live: before they are, and after. */
    const OFFLINE = [
      'adopt/record-last-output.ts',
      'repair-session.ts',
      'start/start-session.ts',
      'start/apply-settings.ts',
    ]
    const found = inSession.filter(({ code }) => /\.append(?:Durable|Delivered)?\(|\bwriteMeta\(/.test(code))
    expect(found.map(({ path }) => path.replace('agh/session/', '')).sort()).toEqual(OFFLINE.sort())
  })

  it('is reached from outside through runtime.ts alone', () => {
    const outside = sources.filter(({ path }) => !/^agh\/(?:session\/|runtime\.ts)/.test(path))
    const past = outside.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => target?.startsWith('agh/session/') && target !== 'agh/session/context.ts')
        .map(({ specifier }) => `${path} -> ${specifier}`),
    )
    expect(past).toEqual([])
    const nearby = outside.filter(({ path }) => path.startsWith('agh/'))
    expect(linesMatching(nearby, /\.(?:live|starting)\b/)).toEqual([])
  })

  it.each([
    'session.meta = x',
    'live.finishing ??= x',
    'a.state; child.running = null',
    '++session.process',
    'a.state++',
  ])('sees the assignment in %j', (code) => expect(assigns.test(code)).toBe(true))

  it.each([
    'if (session.running === running) return',
    'const { meta } = session',
    'find((one) => one.meta)',
    'a.state >= 3',
  ])('sees none in %j', (code) => expect(assigns.test(code)).toBe(false))
})

describe("the dashboard's page", () => {
  const pages = readSources(WEB)
  const outward = (file: SourceFile) => file.imports.filter(({ target }) => target?.startsWith('../'))

  /** Its client knows the types of the server's tables, and loads nothing of them. */
  const isOnlyTypes = (file: SourceFile, specifier: string) =>
    file.path === 'api/client.ts' &&
    file.code.split('\n').some((line) => line.startsWith('import type ') && line.endsWith(` from '${specifier}'`))

  it('imports only the words and the pure decisions of the rest', () => {
    const found = pages.flatMap((file) =>
      outward(file)
        .filter(({ target }) => !/^\.\.\/\.\.\/src\/(contract|core)\//.test(target!))
        .filter(({ specifier }) => !isOnlyTypes(file, specifier))
        .map(({ specifier }) => `${file.path} -> ${specifier}`),
    )
    expect(found).toEqual([])
    expect(pages.flatMap(outward).length).toBeGreaterThan(0)
  })

  it('has no circle of imports, and names its exports', () => {
    expect(findCycles(pages)).toEqual([])
    expect(linesMatching(pages, /\bexport default\b/)).toEqual([])
  })

  it.each([
    [
      'makes no markup out of text',
      /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write\b/,
    ],
    ['makes no code out of text', /\beval\(|\bnew Function\b/],
    ['asks in its own words, not with windows of the browser', /\b(?:window\.)?(?:alert|confirm|prompt)\(/],
  ])('%s', (_what, pattern) => {
    expect(linesMatching(pages, pattern)).toEqual([])
  })

  it('asks the server by the name of a route, never by an address of its own', () => {
    const address = /['"`}]\/api\b/
    expect(pages.filter((file) => address.test(file.code)).map((file) => file.path)).toEqual([])
  })

  it('links out of untrusted text in one place only', () => {
    const found = pages.filter((file) => /<a\b/.test(file.code)).map((file) => file.path)
    expect(found).toEqual(['shell/repositories.tsx', 'shell/shell.tsx', 'ui/text/safe-link.tsx'])
  })
})

describe('the scanner behind these tests', () => {
  const scan = (text: string, path = 'cli/x.ts') => scanSource(SRC, path, text)

  it.each([
    ["import { a } from './a.ts'", './a.ts'],
    ["import type { A } from './a.ts'", './a.ts'],
    ["import './a.ts'", './a.ts'],
    ["import {\n  a,\n  b,\n} from './a.ts'", './a.ts'],
    ["export * from './a.ts'", './a.ts'],
    ["const a = await import('./a.ts')", './a.ts'],
    ["import a, { type B } from 'node:fs'", 'node:fs'],
  ])('finds the import in %j', (text, specifier) => {
    expect(scan(text).imports.map((one) => one.specifier)).toEqual([specifier])
  })

  it.each([["// import a from './a.ts'"], ["/* import './a.ts' */"], ['const said = `nothing`']])(
    'finds no import in %j',
    (text) => {
      expect(scan(text).imports).toEqual([])
    },
  )

  it('does not take a comment, a string or a regular expression for code', () => {
    const { bare } = scan("const a = 'process.exit' // process.exit\nconst b = /process./.test(a)\nconst c = 4 / 2 / 1")
    expect(bare).not.toContain('process')
    expect(bare).toContain('4 / 2 / 1')
  })

  it('sees an arrow that points the wrong way, a plugin that knows another, and a circle', () => {
    expect(arrowViolations(scan("import '../manager/spawn.ts'", 'store/x.ts'))).toHaveLength(1)
    expect(arrowViolations(scan("import '../manager/spawn.ts'", 'plugins/x.ts'))).toHaveLength(1)
    expect(arrowViolations(scan("import '../store/paths.ts'", 'manager/x.ts'))).toEqual([])
    expect(pluginViolations(scan("import '../agent-b/b.ts'", 'plugins/agent-a/a.ts'))).toHaveLength(1)
    expect(pluginViolations(scan("import '../agent-files/b.ts'", 'plugins/agent-a/a.ts'))).toEqual([])
    const circle = [scan("import './b.ts'", 'lib/a.ts'), scan("import './a.ts'", 'lib/b.ts')]
    expect(findCycles(circle)).toEqual([['lib/a.ts', 'lib/b.ts', 'lib/a.ts']])
    const lazy = [circle[0]!, scan("await import('./a.ts')", 'lib/b.ts')]
    expect(findCycles(lazy)).toEqual([])
    expect(findCycles(lazy, { isLazy: true })).toEqual([['lib/a.ts', 'lib/b.ts', 'lib/a.ts']])
  })
})

/** How many modules each folder of `src` and `web/src` has. */
function filesInFolders(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [root, files] of [['src', sources] as const, ['web/src', readSources(WEB)] as const]) {
    for (const { path } of files) {
      const folder = join(root, path, '..')
      counts.set(folder, (counts.get(folder) ?? 0) + 1)
    }
  }
  return counts
}

function folderOf(path: string): string {
  return path.split('/')[0]!
}

function levelOf(path: string): number {
  return LEVELS.findIndex((folders) => folders.includes(folderOf(path)))
}

function arrowViolations(file: SourceFile): string[] {
  return file.imports
    .filter(({ target }) => {
      if (target === null || folderOf(target) === folderOf(file.path)) return false
      if (file.path === LOADS_GH[0] && target === LOADS_GH[1]) return false
      return levelOf(target) === -1 || levelOf(target) >= levelOf(file.path)
    })
    .map(({ specifier }) => `${file.path} -> ${specifier}`)
}

function pluginViolations(file: SourceFile): string[] {
  const [folder, own, ...rest] = file.path.split('/')
  // Files beside the plugin folders contain the table of plugins and may name them all.
  if (folder !== 'plugins' || rest.length === 0) return []
  return file.imports
    .filter(({ target }) => {
      const [targetFolder, other] = target?.split('/') ?? []
      return targetFolder === 'plugins' && other !== own && !SHARED_PLUGIN_FOLDERS.includes(other!)
    })
    .map(({ specifier }) => `${file.path} -> ${specifier}`)
}

/** `plugins/agent-claude-code` is the plugin `claude-code` of the slot `agent`. */
function pluginNames(): Set<string> {
  const folders = readdirSync(join(SRC, 'plugins'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return new Set(
    folders
      .filter((entry) => !SHARED_PLUGIN_FOLDERS.includes(entry.name))
      .map((entry) => entry.name.slice(entry.name.indexOf('-') + 1))
      .filter((name) => !ALSO_WORDS.includes(name)),
  )
}

function inFolders(folders: readonly string[]): SourceFile[] {
  return sources.filter((file) => folders.includes(folderOf(file.path)))
}

function linesMatching(files: SourceFile[], pattern: RegExp): string[] {
  return files.flatMap((file) =>
    file.bare.split('\n').flatMap((line, index) => (pattern.test(line) ? `${file.path}:${index + 1}` : [])),
  )
}
