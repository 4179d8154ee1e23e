// `ao search` over ten thousand sessions: how long the first results take, and how much the index adds to what it indexes.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aghPaths } from '../src/agh/paths.ts'
import { openDatabase } from '../src/agh/store/database.ts'
import { parseQuery } from '../src/core/search/parse-query.ts'
import { silentLog } from '../src/lib/log.ts'
import { openIndex, searchDirectory } from '../src/search/index-file.ts'
import { searchSessions } from '../src/search/search-sessions.ts'
import { createPaths } from '../src/store/paths.ts'
import { createSessionStore } from '../src/store/session/session-store.ts'
import { median, report } from './measure.mjs'

const SESSIONS = 10_000
const ACTIVE = 50
const WITH_CONVERSATION = 500
const WITH_TRANSCRIPT = 500
/** Of these the branch is there. */
const WITH_BRANCH = 300
const ROUNDS = 15
/** What the first results may take, and how much the index may have of what it indexes. */
const AIM_MS = 100
const AIM_SHARE = 0.15

export async function run() {
  console.log(`search: ${SESSIONS} sessions, ${ACTIVE} of them active`)
  const home = mkdtempSync(join(tmpdir(), 'ao-bench-search-'))
  try {
    await measure(home)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function measure(home) {
  const configPath = join(home, 'agent-orchestrator.yaml')
  writeFileSync(configPath, 'projects: {}\n')
  const paths = createPaths({ configPath, home, env: {} })
  const clock = { now: () => new Date() }
  const store = createSessionStore({ projectId: 'app', paths: paths.project('app'), configPath, clock, log: silentLog })
  store.ensure()
  const agh = aghPaths({}, home)
  const repository = join(home, 'app')
  const written = (await writeSessions(store, agh)) + writeBranches(repository)
  const indexed = written + writeTranscripts(home)
  const transcripts = {
    of: async () => ({ spokenIn: ({ message }) => message }),
    async names({ id }) {
      const file = transcriptFile(home, id)
      return existsSync(file) ? [file] : []
    },
  }
  const work = new Map([['app', { path: repository, defaultBranch: 'main' }]])
  const db = await openIndex(paths)
  const now = Date.now()
  const ask = (text, diffMs = 0) => {
    const sync = {
      stores: [store],
      agh,
      transcripts,
      now,
      deadline: Number.POSITIVE_INFINITY,
      limit: 20,
      work,
      env: process.env,
    }
    return searchSessions(db, parseQuery(text, now), { ...sync, diffMs })
  }
  const started = performance.now()
  while (!(await ask('warm', 60_000)).isWhole) console.log('  the next part')
  const built = performance.now() - started
  console.log(`  first index: ${(built / 1000).toFixed(1)} s, ${(indexed / 2 ** 20 / (built / 1000)).toFixed(1)} MB/s`)
  for (const query of [
    'session',
    'merge train project:app',
    'needle4711',
    'worktree agent:codex',
    'conv',
    'retry file:queue.ts',
    'written in:conversation',
    'said file:train.ts',
  ]) {
    const times = []
    for (let round = 0; round < ROUNDS; round++) {
      // Of the processor: others are at work on this machine.
      const from = process.cpuUsage()
      await ask(query)
      const { user, system } = process.cpuUsage(from)
      times.push((user + system) / 1_000)
    }
    report(`first results: ${query}`, median(times), AIM_MS, 1)
  }
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const share = sizeOf(searchDirectory(paths)) / indexed
  const verdict = share <= AIM_SHARE ? '' : '  MISSED'
  console.log(
    `  index of ${(indexed / 2 ** 20).toFixed(0)} MB${''.padEnd(27)} ${share.toFixed(3)} ×  aim ≤ ${AIM_SHARE}${verdict}`,
  )
  db.close()
}

/** A change of two kilobytes on each. Returns the bytes of their diffs. */
function writeBranches(repository) {
  const text = writer()
  mkdirSync(repository)
  execFileSync('git', ['init', '-q', '-b', 'main', repository])
  const who = 'committer b <b@b> 1700000000 +0000\n'
  const data = (content) => `data ${Buffer.byteLength(content)}\n${content}\n`
  const parts = [`commit refs/heads/main\nmark :1\n${who}${data('first')}M 100644 inline queue.ts\n${data('first')}\n`]
  let bytes = 0
  for (let n = SESSIONS - WITH_BRANCH + 1; n <= SESSIONS; n++) {
    const content = `retry ${text(2_000).replaceAll(' ', '\n')}`
    bytes += content.length
    const head = `commit refs/heads/feat/${n}\n${who}${data('work')}from :1\n`
    parts.push(`${head}M 100644 inline queue.ts\n${data(content)}\n`)
  }
  execFileSync('git', ['-C', repository, 'fast-import', '--quiet'], { input: parts.join('') })
  return bytes
}

const transcriptFile = (home, id) => join(home, 'transcripts', `${id}.jsonl`)

/** What agents in a terminal keep themselves: twenty turns, each with an edit. Returns the bytes. */
function writeTranscripts(home) {
  const text = writer()
  mkdirSync(join(home, 'transcripts'))
  let bytes = 0
  for (let n = 0; n < WITH_TRANSCRIPT; n++) {
    const line = (type, content) =>
      JSON.stringify({ type, timestamp: '2026-01-01T00:00:00Z', message: { role: type, content } })
    const turn = () => [
      line('user', text(200)),
      line('assistant', [{ type: 'text', text: `said and written ${text(600)}` }]),
      line('assistant', [
        { type: 'tool_use', name: 'Edit', input: { file_path: '/work/src/train.ts', new_string: `said ${text(400)}` } },
      ]),
    ]
    const content = `${Array.from({ length: 20 }, turn).flat().join('\n')}\n`
    writeFileSync(transcriptFile(home, `app-${SESSIONS - n * (SESSIONS / WITH_TRANSCRIPT)}`), content)
    bytes += content.length
  }
  return bytes
}

/** Words of our own documentation, and names that occur once, as in logs. */
function writer() {
  const docs = join(import.meta.dirname, '..', 'docs')
  const texts = readdirSync(docs)
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(join(docs, name), 'utf8'))
  const vocabulary = texts.join(' ').split(/\s+/)
  let seed = 1
  const next = (below) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  return (bytes) => {
    const parts = []
    for (let size = 0; size < bytes; size += parts.at(-1).length + 1) {
      parts.push(next(40) === 0 ? `id${next(1e9).toString(36)}` : vocabulary[next(vocabulary.length)])
    }
    return parts.join(' ')
  }
}

async function writeSessions({ paths }, agh) {
  const text = writer()
  let bytes = 0
  const write = (path, content) => {
    writeFileSync(path, content)
    bytes += Buffer.byteLength(content)
  }
  for (let n = 1; n <= SESSIONS; n++) {
    const id = `app-${n}`
    const state = paths.stateDir(id)
    mkdirSync(join(state, 'terminal'), { recursive: true })
    write(join(state, 'prompt.md'), `${text(800)} needle${n}`)
    const message = (seq) =>
      JSON.stringify({ seq, at: new Date(n * 60_000).toISOString(), type: 'message.queued', text: text(300) })
    write(paths.historyFile(id), `${[1, 2, 3, 4].map(message).join('\n')}\n`)
    const header = { version: 2, width: 80, height: 24, ao: { startedAt: n * 60_000, launch: '1' } }
    const drawn = Array.from({ length: 60 }, (_, at) =>
      JSON.stringify([at, 'o', `\u001b[1;32m✔\u001b[0m ${text(120)}\r\n`]),
    )
    write(join(state, 'terminal', '000001.cast'), `${[JSON.stringify(header), ...drawn].join('\n')}\n`)
    const session = `sess-${n}`
    const handle =
      n % (SESSIONS / WITH_CONVERSATION) === 0 ? { id, runtimeName: 'acp', data: { session, home: agh.home } } : null
    if (handle) bytes += await writeConversation(join(agh.sessions, session), text)
    const record = [
      `project=app`,
      `agent=${n % 2 ? 'codex' : 'claude-code'}`,
      'status=merged',
      'endedAs=merged',
      'launched=yes',
      `branch=feat/${n}`,
    ]
    if (handle) record.push(`runtimeHandle=${JSON.stringify(handle)}`)
    const archived = `${id}_${new Date(n * 60_000).toISOString().replace(/[:.]/g, '-')}`
    mkdirSync(paths.archive, { recursive: true })
    const file = n > SESSIONS - ACTIVE ? paths.sessionFile(id) : join(paths.archive, archived)
    writeFileSync(file, `${record.join('\n')}\n`)
  }
  return bytes
}

async function writeConversation(directory, text) {
  mkdirSync(directory, { recursive: true })
  const db = await openDatabase(join(directory, 'events.db'))
  const add = db.prepare("INSERT INTO events (turn_id, type, timestamp, content) VALUES ('t', 'agent_message', ?, ?)")
  db.transaction(() => {
    for (let n = 0; n < 200; n++) {
      const content = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${text(60)} ` } }
      add.run('2026-01-01T00:00:00Z', JSON.stringify(content))
    }
  })()
  db.close()
  return statSync(join(directory, 'events.db')).size
}

function sizeOf(directory) {
  return readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
}
