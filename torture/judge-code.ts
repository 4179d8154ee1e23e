// What injects and judges in a campaign: its part of its file, what that uses of torture/ and test/, and the programs and files of
// the tests that it names. Changed, it proves something else than before; what it does not use may change.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildSync } from 'esbuild'
import { codeOf } from './code-path.ts'
import type { CampaignOf } from './rows.ts'

const ROOT = join(import.meta.dirname, '..')
/** What is judged is loaded from its own modules; seeds, counts and lines of a log are the same for all. */
const ELSEWHERE = ['../src/*', '../../src/*', '../../../src/*', '../dist/*', '../../dist/*', './campaign.ts']

/** `campaign('killed loop', …)` at the beginning of a line, to the end of the call. */
const CAMPAIGN = /^campaign\('([^']+)',(?:[^\n]*\)|[\s\S]*?^\}\))\n/gm
const PROGRAM = /\btestProgram\("([\w-]+)"\)/g
/** Programs and files; and programs elsewhere below test/ that are no modules. */
const FIXTURES = ['test/fixtures', 'test/store/fixtures']
const PROGRAM_FILE = /\.(?:c|mjs|sh)$/
/** A name in quotes, or the last part of a path in them. */
const NAMED = /["'`/]([\w.-]+)["'`]/g

/** Of all that a campaign plays with and all that it plays on. */
export function codeOfCampaign(name: string, { file, starts }: CampaignOf, root = ROOT): string {
  const hash = createHash('sha256').update(codeOf(starts, root))
  for (const text of judgeOf(name, file, root)) hash.update(`\0${text}`)
  return hash.digest('hex').slice(0, 16)
}

/** Its essence first, then of each program and file that it names. */
export function judgeOf(name: string, file: string, root = ROOT): string[] {
  const path = join(root, 'torture', `${file}.torture.ts`)
  const own = readFileSync(path, 'utf8').replaceAll(CAMPAIGN, (call, other) => (other === name ? call : ''))
  const judge = essenceOf(own, dirname(path))
  const programs = [...judge.matchAll(PROGRAM)].map((match) => match[1]!)
  const paths = fixturesOf(root)
  const named = [...judge.matchAll(NAMED)].flatMap((match) => paths.get(match[1]!) ?? [])
  const fixtures = [...programs.flatMap((program) => paths.get(`${program}.ts`) ?? []), ...named]
  return [judge, ...[...new Set(fixtures)].sort().map(fixtureText)]
}

/** Without comments, types, formatting and what is not used. */
function essenceOf(contents: string, resolveDir: string): string {
  const { outputFiles } = buildSync({
    stdin: { contents, resolveDir, loader: 'ts' },
    ...{ bundle: true, write: false, treeShaking: true, platform: 'node', format: 'esm', packages: 'external' },
    ...{ external: ELSEWHERE, minifyWhitespace: true, minifySyntax: true, legalComments: 'none', logLevel: 'error' },
  })
  // Of a module without a name of it that is used, nothing is left but that it is loaded.
  return outputFiles[0]!.text.replaceAll(/\bimport"[^"]*";/g, '')
}

function fixtureText(path: string): string {
  if (path.endsWith('.ts')) return essenceOf(readFileSync(path, 'utf8'), dirname(path))
  if (statSync(path).isFile()) return readFileSync(path, 'latin1')
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()
  return files
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('\0')
}

const fixtures = new Map<string, Map<string, string>>()

/** By name. */
function fixturesOf(root: string): Map<string, string> {
  const read = fixtures.get(root)
  if (read) return read
  const found = new Map<string, string>()
  for (const entry of readdirSync(join(root, 'test'), { recursive: true, withFileTypes: true })) {
    const isFixture = FIXTURES.some((folder) => entry.parentPath === join(root, folder))
    if (isFixture || PROGRAM_FILE.test(entry.name)) found.set(entry.name, join(entry.parentPath, entry.name))
  }
  fixtures.set(root, found)
  return found
}
