// The demo agent as a program of its own: wires terminal, log and conversation together. Decides nothing itself.
import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { errorText } from '../../../contract/errors.ts'
import { systemClock } from '../../../lib/clock.ts'
import { createPerformance } from '../script/create-performance.ts'
import { VERB_NAMES } from '../script/parse-step.ts'
import { openSessionLog, readSessionLog } from '../session-log.ts'
import { DEMO_LOG_NAME } from '../session-records.ts'
import { createConversation } from './conversation.ts'
import { createInbox } from './inbox.ts'
import { readFlags, speedFactor } from './program-flags.ts'
import { freshConversation, replaySession } from './replay-session.ts'
import { createScreen, type DemoState, type Screen } from './screen.ts'
import { createKeyReader, type Key } from './terminal-keys.ts'

const GREETING = [
  'Demo agent: scripted, with no model behind it. It calls nothing outside this machine.',
  'It follows the ```demo script in its task. /help explains, /exit quits, Ctrl-C interrupts.',
].join('\n')

const HELP = [
  'A script is a fenced block ```demo (or lines that start with "demo:") with one step a line:',
  `  ${VERB_NAMES.join(', ')}`,
  'Steps below a line such as "on ci-failed:" wait for a message of that kind; "on message:" takes any.',
].join('\n')

await main()

async function main(): Promise<void> {
  process.title = 'demo-agent'
  const screen = openScreen()
  const flags = readFlags()
  const logFile = join(process.env.AO_STATE_DIR ?? join(homedir(), '.ao-demo'), DEMO_LOG_NAME)
  const before = flags.resume ? replaySession(readSessionLog(logFile), flags.resume) : null
  if (flags.resume && !before) return fail(screen, `There is no demo session ${flags.resume} in ${logFile}`)

  const start = before ?? freshConversation()
  const log = openSessionLog(logFile, systemClock)
  const workspace = realpathSync(process.cwd())
  const hasWork = flags.prompt !== undefined || start.pending.length > 0 || (start.cutOff && start.steps.length > 0)
  const resumed = before !== null
  log.add({ type: 'session.started', id: start.id, pid: process.pid, cwd: workspace, resumed, hasWork })
  screen.print(before ? `${GREETING}\nResumed session ${start.id}.` : GREETING)

  const inbox = createInbox(log, start)
  if (flags.prompt !== undefined) inbox.accept(flags.prompt)
  const end = (code: number) => {
    log.add({ type: 'session.ended', code })
    screen.restore()
    process.exit(code)
  }
  let state: DemoState = 'ready'
  const display = {
    print: screen.print,
    setState(now: DemoState) {
      state = now
      screen.show(state, input.typed())
    },
  }
  const speed = speedFactor(process.env.DEMO_AGENT_SPEED)
  const skipPermissions = flags.permissions === 'skip'
  const stage = { log, inbox, display, speed, workspace, env: process.env, skipPermissions }
  const conversation = createConversation({
    ...stage,
    perform: (signal) => createPerformance(signal, stage),
    context: { issueId: flags.issue, sessionId: process.env.AO_SESSION, role: flags.role },
    plan: { steps: start.steps, reactions: start.reactions },
    isFirst: start.messageCount === start.pending.length,
    cutOff: start.cutOff,
  })
  const input = createLineInput({
    submit(text) {
      if (text === '/exit' || text === '/quit') return end(0)
      if (text === '/help') return screen.print(HELP)
      screen.print(`> ${text}`)
      inbox.accept(text)
    },
    changed: (typed) => screen.show(state, typed),
    interrupt: () => conversation.interrupt(),
    note: screen.print,
    quit: () => end(0),
  })
  listen(input.press)
  onEndingSignal((code) => {
    conversation.interrupt()
    end(code)
  })
  display.setState('ready')
  try {
    end(await conversation.run())
  } catch (error) {
    fail(screen, `The demo agent failed: ${errorText(error)}`)
  }
}

function openScreen(): Screen {
  const { stdout } = process
  return createScreen({
    write: (text) => stdout.write(text),
    columns: () => stdout.columns ?? 80,
    isTerminal: stdout.isTTY === true,
  })
}

function listen(press: (key: Key) => void): void {
  const keys = createKeyReader()
  if (process.stdin.isTTY) process.stdin.setRawMode(true)
  process.stdin.on('data', (chunk: Buffer) => {
    for (const key of keys.feed(chunk)) press(key)
  })
  process.stdin.on('end', () => press({ type: 'end' }))
}

function onEndingSignal(end: (code: number) => void): void {
  process.on('SIGTERM', () => end(143))
  process.on('SIGHUP', () => end(129))
  process.on('SIGINT', () => end(130))
}

function fail(screen: Screen, message: string): void {
  screen.print(message)
  screen.restore()
  process.exit(1)
}

const QUIT_WITHIN_MS = 2_000

interface LineInputHandlers {
  submit(text: string): void
  changed(typed: string): void
  /** false: there was nothing to interrupt. */
  interrupt(): boolean
  note(text: string): void
  quit(): void
}

/** The message being typed: edits it, submits it on Enter, and knows what Ctrl-C means when nothing is typed. */
function createLineInput(on: LineInputHandlers): { press(key: Key): void; typed(): string } {
  let line = ''
  let warnedAt = Number.NEGATIVE_INFINITY
  const set = (text: string) => {
    line = text
    on.changed(line)
  }
  const interrupt = () => {
    if (line !== '') return set('')
    if (on.interrupt()) return
    if (performance.now() - warnedAt < QUIT_WITHIN_MS) return on.quit()
    warnedAt = performance.now()
    on.note('Press Ctrl-C again to quit.')
  }
  const enter = () => {
    const text = line
    set('')
    if (text.trim() !== '') on.submit(text.startsWith('/') ? text.trim() : text)
  }
  return {
    typed: () => line,
    press(key) {
      if (key.type === 'text' || key.type === 'paste') set(line + key.text)
      else if (key.type === 'backspace') set([...line].slice(0, -1).join(''))
      else if (key.type === 'clear') set('')
      else if (key.type === 'enter') enter()
      else if (key.type === 'interrupt') interrupt()
      else if (line === '') on.quit()
    },
  }
}
