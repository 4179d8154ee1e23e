// The pages for people, run as a reader runs them: every line of every `sh` block, in order, each page in a home of its own with the
// demo agent. What a page takes for granted stands before a block as `<!-- run: command -->`, which no reader sees.
// `npm test` runs the pages that people begin with; `npm run test:docs` runs all of them.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRepo } from '../support/git-repo.ts'
import { pageLines } from '../support/read-markdown.ts'
import { AO, buildAo } from '../support/run-ao.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { ALL_PAGES, FIRST_PAGES, LASTING, NOT_HERE, PAGES_NOT_RUN, REFUSED } from './pages.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** `all`, or some of them: AO_PAGES=docs/work.md,README.md */
const ASKED = process.env.AO_PAGES
const PAGES = ASKED === undefined ? FIRST_PAGES : ASKED === 'all' ? ALL_PAGES : ASKED.split(',')
/** A reader who was too fast tries again. */
const TRY_AGAIN_S = 15
/** What takes longer waits for something that does not come. */
const LONGEST_S = 90

interface Ran {
  line: string
  code: number
  output: string
}

beforeAll(buildAo)

describe.concurrent('every command line works, in order, of', () => {
  it.each(PAGES)(
    '%s',
    async (page) => {
      const lines = pageLines(readFileSync(join(ROOT, page), 'utf8'))
      expect(lines.length).toBeGreaterThan(0)
      const temp = createTempHome()
      try {
        const ran = await runLines(lines, temp)
        expect(ran.filter(isWrong)).toEqual([])
        expect(ran).toHaveLength(lines.length)
      } finally {
        await runLines(['ao pause', 'ao stop --all', 'agh daemon stop'], temp, { script: 'end' })
        await temp.cleanup()
      }
    },
    400_000,
  )
})

it('every page with command lines is run, or has a reason why not', () => {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .filter((name) => pageLines(readFileSync(join(ROOT, name), 'utf8')).length > 0)
  const isKnown = (name: string) =>
    ALL_PAGES.includes(name) || Object.keys(PAGES_NOT_RUN).some((one) => name.startsWith(one))
  expect(pages.filter((name) => !isKnown(name))).toEqual([])
})

it('what cannot be run here is still on a page', () => {
  const lines = ALL_PAGES.flatMap((page) => pageLines(readFileSync(join(ROOT, page), 'utf8')))
  for (const { pattern } of [...NOT_HERE, ...LASTING, ...REFUSED])
    expect(
      lines.some((line) => pattern.test(line)),
      String(pattern),
    ).toBe(true)
})

function isWrong({ line, code, output }: Ran): boolean {
  const refused = REFUSED.find(({ pattern }) => pattern.test(line))
  if (refused) return code === 0 || !refused.says.test(output)
  return code !== 0
}

async function runLines(lines: string[], temp: TempHome, { script: name = 'page' } = {}): Promise<Ran[]> {
  const { home } = temp
  const bin = join(home, 'reader-bin')
  const out = join(home, `.${name}`)
  for (const directory of [bin, out]) mkdirSync(directory, { recursive: true })
  for (const program of ['ao', 'agh']) {
    const file = join(AO, '..', `${program}.js`)
    const command = `timeout --foreground ${LONGEST_S} '${process.execPath}' '${file}' "$@"`
    writeFileSync(join(bin, program), `#!/bin/sh\nexec ${command}\n`, { mode: 0o755 })
  }
  // `ao dashboard` opens nothing here.
  writeFileSync(join(bin, 'xdg-open'), '#!/bin/sh\n', { mode: 0o755 })
  const app = join(home, 'code', 'app')
  if (name === 'page') {
    mkdirSync(join(home, 'code'))
    mkdirSync(join(home, '.agh'))
    writeFileSync(join(home, '.agh', 'config.toml'), '[http]\nport = 0\n')
    createRepo(app, temp.env)
    if (!lines.some((line) => /^ao init\b/.test(line))) writeFileSync(join(app, 'agent-orchestrator.yaml'), CONFIG)
  }
  const port = await freePort()
  const script = [
    PRELUDE,
    ...lines.map((line, at) =>
      step(
        line
          .replaceAll(':3000', `:${port}`)
          .replaceAll(':2123', ':$AGH_PORT')
          .replaceAll('/absolute/path/to/repo', app),
        join(out, String(at)),
      ),
    ),
  ]
  await bash(script.join('\n'), {
    cwd: app,
    env: { ...temp.env, AO_RECORDING: 'on', AO_PORT: String(port), PATH: `${bin}:${temp.env.PATH}` },
  })
  return lines.flatMap((line, at) => {
    try {
      const [code, ...output] = readFileSync(join(out, String(at)), 'utf8').split('\n')
      return [{ line, code: Number(code), output: output.join('\n') }]
    } catch {
      // The shell ended before it.
      return []
    }
  })
}

/** Runs in this very shell, so that `cd` and variables last; says how it ended in the first line of `file`. */
function step(line: string, file: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  if (NOT_HERE.some(({ pattern }) => pattern.test(line))) return `echo 0 > ${quoted(file)}`
  const lasting = LASTING.some(({ pattern }) => pattern.test(line))
  const once = REFUSED.some(({ pattern }) => pattern.test(line))
  const typed = lasting ? `in_terminal ${quoted(line.replace(/\s{2,}#.*$/, ''))}` : line
  return `try ${quoted(typed)} ${quoted(file)} ${once ? 0 : TRY_AGAIN_S}`
}

const CONFIG = 'projects:\n  app:\n    path: .\n    agent: demo\n'

const PRELUDE = `
try() {
  local until=$((SECONDS + $3)) code
  while :; do
    eval "$1" > "$2.out" 2>&1 < /dev/null
    code=$?
    [ $code = 0 ] || [ $SECONDS -ge $until ] || { sleep 0.4; continue; }
    { echo $code; cat "$2.out"; } > "$2"
    return
  done
}
# What stays until somebody leaves it: still there after a moment, or ended well.
in_terminal() {
  timeout 3 script -qefc "$1" /dev/null
  case $? in 0 | 124 | 137 | 143) return 0 ;; *) return 1 ;; esac
}
# Until the output of a command has this.
seen() { local what=$1; shift; "$@" 2>&1 | grep -q -- "$what"; }
# A repository with a configuration of its own.
repository() {
  git init -q ~/code/"$1" && git -C ~/code/"$1" commit -q --allow-empty -m first &&
    cp ~/code/app/agent-orchestrator.yaml ~/code/"$1"
}
# An issue with this number, as the tracker keeps it.
issue() {
  local made; made=$(ao issue new "\${2:-Tidy up $1}" --json --jq .issue.id) || return
  local file; file=$(echo "$HOME"/.agent-orchestrator/*/issues/"$made.md")
  [ "$made" = "$1" ] || { sed "s/^number: .*/number: $1/" "$file" > "\${file%/*}/$1.md" && rm "$file"; }
}
`

function bash(script: string, { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-s'], { cwd, env, stdio: ['pipe', 'inherit', 'inherit'] })
    child.on('error', reject)
    child.on('close', () => resolve())
    child.stdin.end(script)
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
