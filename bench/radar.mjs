// The radar over 200 branches of a repository with 20,000 files, four of them with uncommitted work in a worktree.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRepository } from '../src/git/repository.ts'
import { createRadar } from '../src/landing/radar/radar.ts'
import { median } from './measure.mjs'

const FILES = 20_000
const BRANCHES = 200
const WORKTREES = 4
const MOVES = 15

export async function run() {
  console.log(`radar: ${BRANCHES} branches of ${FILES} files, ${WORKTREES} worktrees with uncommitted work`)
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'aob-')))
  const repo = join(home, 'repo')
  const env = { HOME: home, PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...args) => execFileSync('git', ['-C', repo, ...args], { env, encoding: 'utf8' }).trim()
  try {
    await createRepository(repo, env)
    const branches = Array.from({ length: BRANCHES }, (_, n) => ({
      id: `app-${n}`,
      sessionId: `app-${n}`,
      branch: `feat/issue-${n}`,
      title: '',
      pull: null,
      ready: n < 5,
      directory: n < WORKTREES ? join(home, `app-${n}`) : null,
      activeAt: 1,
    }))
    for (const { branch, directory } of branches.slice(0, WORKTREES)) {
      git('worktree', 'add', '--quiet', directory, branch)
      appendFileSync(join(directory, pathOf(1)), 'uncommitted\n')
    }
    const open = () =>
      createRadar({
        projectId: 'app',
        projectDir: join(home, 'data'),
        baseBranch: 'main',
        baseRefs: ['refs/heads/main'],
        repository: () => openRepository(repo, env),
      })
    const first = []
    const before = cpuMs()
    for (let round = 0; round < 3; round++) {
      const radar = open()
      first.push(await measure(() => radar.observe({ branches, budgetMs: 60_000 })))
      radar.close()
    }
    const firstCpu = (cpuMs() - before) / 3
    const radar = open()
    const picture = await radar.observe({ branches, budgetMs: 60_000 })
    const kinds = Object.entries(Object.groupBy(picture.meetings, ({ kind }) => kind))
    console.log(`  ${kinds.map(([kind, list]) => `${list.length} pairs: ${kind}`).join(', ')}`)
    report('first picture', median(first), 5_000, firstCpu)
    const moved = []
    let movedCpu = 0
    for (let n = 0; n < MOVES; n++) {
      moveHead(git, `feat/issue-${20 + n}`)
      const from = cpuMs()
      moved.push(await measure(() => radar.observe({ branches, budgetMs: 60_000 })))
      movedCpu += cpuMs() - from
    }
    report('one moved head', median(moved), 150, movedCpu / MOVES)
    report('nothing moved', await measure(() => radar.observe({ branches })), 50)
    radar.close()
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function measure(work) {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Of this process and of those that it has waited for, in ms; on a busy machine it says more than the time. */
function cpuMs() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0)
}

function report(what, ms, aim, cpu) {
  const busy = cpu === undefined ? '' : ` (${cpu.toFixed(0)} ms of CPU)`
  console.log(
    `  ${what.padEnd(44)} ${ms.toFixed(1).padStart(8)} ms  aim ≤ ${aim} ms${ms <= aim ? '' : '  MISSED'}${busy}`,
  )
}

function pathOf(n) {
  return `src/area${n % 20}/part${Math.floor(n / 20) % 50}/file${n}.ts`
}

function textOf(n, changes = {}) {
  return `${Array.from({ length: 60 }, (_, line) => changes[line] ?? `line ${line} of ${n}`).join('\n')}\n`
}

/** Each branch changes twelve files, three of which are among a hundred that others change too. */
async function createRepository(repo, env) {
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', repo], { env })
  const child = spawn('git', ['-C', repo, 'fast-import', '--quiet'], { env, stdio: ['pipe', 'inherit', 'inherit'] })
  const who = 'Bench <bench@example.invalid> 1700000000 +0000'
  const file = (n, text) => `M 100644 inline ${pathOf(n)}\ndata ${Buffer.byteLength(text)}\n${text}\n`
  child.stdin.write(`commit refs/heads/main\nmark :1\ncommitter ${who}\ndata 5\nfirst\n`)
  for (let n = 0; n < FILES; n++) child.stdin.write(file(n, textOf(n)))
  for (let b = 0; b < BRANCHES; b++) {
    child.stdin.write(`commit refs/heads/feat/issue-${b}\ncommitter ${who}\ndata 4\nwork\nfrom :1\n`)
    for (let k = 0; k < 12; k++) {
      const n = k < 3 ? (b * 7 + k * 13) % 100 : 200 + b * 90 + k
      child.stdin.write(file(n, textOf(n, { [(b * 5 + k) % 60]: `changed by ${b}` })))
    }
  }
  child.stdin.end()
  await once(child, 'close')
}

/** One more commit, without a checkout. */
function moveHead(git, branch) {
  const identity = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.invalid']
  const commit = git(...identity, 'commit-tree', `${branch}^{tree}`, '-p', branch, '-m', `more on ${branch}`)
  git('update-ref', `refs/heads/${branch}`, commit)
}
