// The scripted agent: `node agent.ts <workload.json> <prompt or file with it>`, in a checkout of its own. CONTRACT.md is about it.
// It plays one change, publishes it, and then waits for messages on its terminal: bracketed paste and Enter, or a line.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { append, type EventBody } from './log.ts'
import { readMessage, rebaseTarget } from './message.ts'
import { rebase } from './rebase.ts'
import { type Feature, git, readWorkload, tryGit } from './workload.ts'

const PASTE = ['\x1b[200~', '\x1b[201~'] as const
const [workloadPath = '', given = ''] = process.argv.slice(2)
const workload = readWorkload(workloadPath)
const cwd = process.cwd()
const waiting: string[] = []
const failed = new Map<string, string>()
let isBusy = true

show('working (esc to interrupt)')
listen()
const feature = findFeature()
const note = (body: EventBody) => append(workload.log, body)
note({ what: 'started', feature: feature.id })
// A restored agent finds its work done.
if (!existsSync(feature.marker)) play()
isBusy = false
await next()

function findFeature(): Feature {
  const prompt = existsSync(given) ? readFileSync(given, 'utf8') : given
  const id = /\blandbench: (\w+)/.exec(prompt)?.[1]
  const found = workload.features.find((one) => one.id === id)
  if (found === undefined) throw new Error(`The prompt names no change of this world: ${prompt.slice(0, 200)}`)
  return found
}

function play(): void {
  git(cwd, 'apply', '--index', feature.patch)
  git(cwd, 'commit', '--quiet', '-m', feature.title)
  note({ what: 'committed', feature: feature.id })
  publish('first')
}

function publish(when: 'first' | 'again'): void {
  const command = workload.publish?.[when] ?? ''
  if (command !== '') execFileSync('sh', ['-c', command], { cwd, stdio: 'ignore' })
  const head = git(cwd, 'rev-parse', 'HEAD')
  note({ what: when === 'first' ? 'published' : 'rebased', feature: feature.id, head })
}

async function next(): Promise<void> {
  if (isBusy) return
  const message = waiting.shift()
  if (message === undefined) return show('> ')
  isBusy = true
  show('working (esc to interrupt)')
  await answer(message)
  isBusy = false
  await next()
}

async function answer(message: string): Promise<void> {
  note({ what: 'received', feature: feature.id, text: message.slice(0, 600), ...readMessage(message) })
  const onto = rebaseTarget(message)
  if (onto === null) return
  const commit = tryGit(cwd, 'rev-parse', '--verify', `${onto}^{commit}`) ?? onto
  // The same again would end the same way.
  const why = failed.get(commit) ?? (await rebase(cwd, commit, feature, workload))
  if (why === null) return publish('again')
  failed.set(commit, why)
  note({ what: 'gave-up', feature: feature.id, why })
}

/** One line that is drawn over: what was shown before does not count. */
function show(line: string): void {
  process.stdout.write(`\r\x1b[K${line}`)
}

function listen(): void {
  if (process.stdin.isTTY) {
    process.stdin.setRawMode(true)
    process.stdout.write('\x1b[?2004h')
  }
  process.stdin.setEncoding('utf8')
  let rest = ''
  let typed = ''
  process.stdin.on('data', (chunk: string) => {
    rest += chunk
    for (;;) {
      if (rest.startsWith(PASTE[0])) {
        const end = rest.indexOf(PASTE[1])
        if (end === -1) return
        typed += rest.slice(PASTE[0].length, end)
        rest = rest.slice(end + PASTE[1].length)
      } else if (rest === '' || (rest.startsWith('\x1b') && PASTE[0].startsWith(rest))) return
      else {
        const key = rest[0]!
        rest = rest.slice(1)
        if (key === '\x03') process.exit(130)
        else if (key === '\x15') typed = ''
        else if (key !== '\r' && key !== '\n') typed += key
        else if (typed !== '') {
          waiting.push(typed)
          typed = ''
          void next()
        }
      }
    }
  })
}

process.on('SIGTERM', () => process.exit(143))
