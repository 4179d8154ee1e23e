// A person at the dashboard: the sample project in a HOME of its own, `ao start` with its server, and a real Chromium.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'
import { expect, onTestFailed } from 'vitest'
import { runBeside } from '../support/ao-beside.ts'
import { runsHere } from '../support/ao-here.ts'
import { createTempHome } from '../support/temp-home.ts'
import { testProgram } from '../support/test-program.ts'

const AO = new URL('../../dist/ao.js', import.meta.url).pathname
const AGH = new URL('../../dist/agh.js', import.meta.url).pathname
const SAMPLE = new URL('../../scripts/sample/', import.meta.url).pathname
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
/** A loaded machine with two cores; waiting ends as soon as the thing is there. */
export const TIMEOUT_MS = 40_000

export interface BrowserWorld {
  page: Page
  home: string
  repo: string
  /** Errors reported by the page or its console; a test ends with none. */
  problems: string[]
  ao(...args: string[]): string
  json<T>(...args: string[]): T
  /** In the person's repository. */
  git(...args: string[]): void
  issue(title: string, script: string): string
  /** After `ao stop`: the same server as before, at the same address. */
  startAgain(port: string): void
  /** A second tab or another appearance: phone, dark. Signed in like the first. */
  open(
    options: { width: number; height: number; colorScheme?: 'light' | 'dark' },
    how?: { isSignedIn: boolean },
  ): Promise<Page>
  goto(path: string, page?: Page): Promise<void>
  cleanup(): Promise<string[]>
}

export interface WorldOptions {
  /** Lines that replace those of the sample's `reactions`. */
  reactions?: string[]
  runtime?: string
  /** `default`: the demo agent asks before it acts. */
  permissions?: string
  /** A program of test/fixtures that speaks ACP, in place of the demo agent. */
  acpAgent?: string
  /** Terminals are recorded. */
  records?: boolean
  /** Notifications are sent and fail here, and a bar says so on every page. Without it nothing moves a page when it appears. */
  notifies?: boolean
}

/** One for all files of a worker, and it ends with the worker: windows of different worlds share nothing. */
let browser: Browser | null = null

export async function createBrowserWorld(options: WorldOptions = {}): Promise<BrowserWorld> {
  const temp = createTempHome()
  const repo = join(temp.home, 'sample')
  cpSync(join(SAMPLE, 'project'), repo, { recursive: true })
  configure(repo, options)
  for (const args of [
    ['init', '--quiet'],
    ['add', '--all'],
    ['commit', '--quiet', '--message', 'A small project'],
  ])
    execFileSync('git', args, { cwd: repo, env: temp.env })
  const env: NodeJS.ProcessEnv = { ...temp.env, AO_RECORDING: options.records ? 'on' : 'off' }
  const ao = (...args: string[]) => {
    const done = runsHere(args) ? runBeside(args, { env, repo }) : runAlone(args, { env, cwd: repo })
    if (done.exitCode !== 0) throw new Error(`ao ${args.join(' ')} failed\n${done.stdout}${done.stderr}`)
    return done.stdout
  }
  mkdirSync(join(temp.home, '.agh'))
  writeFileSync(join(temp.home, '.agh/config.toml'), '[http]\nport = 0\n')
  ao('config', 'trust', '--yes')
  ao('start')
  const { url, link } = JSON.parse(ao('dashboard', '--no-open', '--json')) as { url: string; link: string }
  const problems: string[] = []
  if (!browser?.isConnected())
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      // Without a GPU, Debian's flags would have one emulated.
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    })
  const shared = browser
  const context = await shared.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  const page = await openPage(context, problems)
  await page.goto(link)
  return {
    page,
    home: temp.home,
    repo,
    problems,
    ao,
    git: (...args) => void execFileSync('git', args, { cwd: repo, env }),
    json: (...args) => JSON.parse(ao(...args, '--json')),
    issue(title, script) {
      const body = `${title}\n\n\`\`\`demo\n${script}\n\`\`\`\n`
      const { issue } = JSON.parse(ao('issue', 'new', title, '--body', body, '--json')) as { issue: { id: string } }
      return issue.id
    },
    startAgain(port) {
      env.AO_PORT = port
      ao('start')
    },
    async open({ width, height, colorScheme = 'light' }, { isSignedIn } = { isSignedIn: true }) {
      const other = await shared.newContext({
        viewport: { width, height },
        colorScheme,
        reducedMotion: 'reduce',
        ...(isSignedIn && { storageState: await context.storageState() }),
      })
      return openPage(other, problems)
    },
    async goto(path, on = page) {
      await on.goto(`${url}${path}`)
    },
    async cleanup() {
      await Promise.all(shared.contexts().map((one) => one.close()))
      ao('stop', '--sessions')
      if (existsSync(join(temp.home, '.agh/daemon.json'))) spawnSync(process.execPath, [AGH, 'daemon', 'stop'], { env })
      return temp.cleanup()
    },
  }
}

function runAlone(args: string[], where: { env: NodeJS.ProcessEnv; cwd: string }) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [AO, ...args], { ...where, encoding: 'utf8' })
  return { stdout, stderr, exitCode: status }
}

async function openPage(context: BrowserContext, problems: string[]): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(TIMEOUT_MS)
  page.on('pageerror', (error) => problems.push(`page: ${error.message}`))
  page.on('console', (message) => {
    // A server that is away is part of some tests, and the page reports it on its own. Push messages do not exist in a
    // context of a test, and the browser says so when they are asked for.
    const isExpected =
      /Failed to load resource|WebSocket connection .* HTTP Authentication failed|ERR_CONNECTION|ERR_INCOMPLETE|Push API in incognito/.test(
        message.text(),
      )
    if (message.type() === 'error' && !isExpected) problems.push(`console: ${message.text()}`)
  })
  return page
}

function configure(repo: string, options: WorldOptions): void {
  const { reactions, runtime, permissions = 'skip', acpAgent, notifies } = options
  const file = join(repo, 'agent-orchestrator.yaml')
  // Without its reviewers: they would be sessions of their own on every page.
  const sample = readFileSync(file, 'utf8').replace(/ {4}gates:\n(?: {6}.*\n)+/, '')
  const lines = sample
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('      review:'))
  const own = reactions
    ? [...lines.slice(0, lines.indexOf('    reactions:') + 1), ...reactions.map((line) => `      ${line}`)]
    : lines
  const text = own
    .join('\n')
    .replace(
      /permissions: skip.*/,
      `permissions: ${permissions}${acpAgent ? `\n      acpCommand: ${JSON.stringify(`${process.execPath} ${testProgram(acpAgent)}`)}` : ''}`,
    )
    .replace(
      '  agent: demo',
      `  agent: demo${runtime ? `\n  runtime: ${runtime}` : ''}${notifies ? '' : '\n  notifiers: []'}`,
    )
  writeFileSync(file, `${text}\n`)
}

/** Resolves when it has not moved for a while: until then it ignores clicks and keys. */
export async function listens(card: Locator): Promise<void> {
  const isDeaf = () => card.evaluate((one) => one.matches('[data-deaf]') || one.querySelector('[data-deaf]') !== null)
  await expect.poll(isDeaf, { timeout: TIMEOUT_MS }).toBe(false)
}

/** Until the page shows it; the words are what a person would read. */
export async function sees(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor({ timeout: TIMEOUT_MS })
}

/** Call it first in a test: when it fails, the page as it was then is in the system's temporary directory. */
export function keepPicture({ page, ao }: BrowserWorld): void {
  onTestFailed(async ({ task }) => {
    console.log(page.url(), ao('events'))
    const path = join(tmpdir(), `e2e-${task.name.replaceAll(/\W+/g, '-').slice(0, 60)}.png`)
    await page.screenshot({ path }).catch(() => undefined)
  })
}

export async function endsWell(world: BrowserWorld): Promise<void> {
  expect(world.problems).toEqual([])
  expect(await world.cleanup()).toEqual([])
}
