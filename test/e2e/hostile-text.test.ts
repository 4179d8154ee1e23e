// Text of agents and repositories in every field that a page shows: what cannot be seen is spelled out, nothing becomes markup, a link
// that runs something, or a request to somebody else.
import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BrowserWorld, createBrowserWorld, endsWell, keepPicture } from './browser-world.ts'

/** Turned around, without width, a terminal's colour, markup. */
const HOSTILE = '\u202egnp.exe\u202c\u200b<img src=x onerror=alert(1)>'
const ANSI = '\u001b[31mred\u001b]8;;https://evil.example\u0007'
const LINKS =
  '[click](javascript:alert(1)) <https://evil.example/x> ![p](https://evil.example/p.png) [d](data:text/html,x)'

/** What the agent does with its worktree and the forge. */
const SCRIPT = `#!/bin/sh
set -e
git checkout -q -b 'feat/a\u202eb'
printf 'let name = "%s"\\n' '${HOSTILE}' > 'src/\u202esj.evil'
git add -A
git commit -qm 'Add ${HOSTILE}'
gh pr create --title 'Pull ${HOSTILE}' --body '${HOSTILE} ${LINKS}'
`

let world: BrowserWorld
let session: string
let asking: string
let foreign: string[]
let pull: number

beforeAll(async () => {
  world = await createBrowserWorld({
    runtime: 'acp',
    permissions: 'default',
    acpAgent: 'acp-agent',
    reactions: ['agent-idle: { auto: false }'],
  })
  const script = join(world.repo, 'hostile.sh')
  writeFileSync(script, SCRIPT)
  chmodSync(script, 0o755)
  const env = { ...process.env, HOME: world.home, GIT_CONFIG_NOSYSTEM: '1' }
  for (const args of [
    ['add', '--all'],
    ['commit', '--quiet', '--message', 'A script'],
  ])
    execFileSync('git', args, { cwd: world.repo, env })
  const spawn = (...args: string[]) => world.json<{ session: { id: string } }>('spawn', ...args).session.id
  world.ao('issue', 'new', `Issue ${HOSTILE}`, '--body', `${HOSTILE}\n\n${LINKS}\n\n\`\`\`\n${HOSTILE}\n\`\`\``)
  world.ao('issue', 'comment', '1', '--body', `${HOSTILE}\n\n${LINKS}\n${ANSI}`)
  world.ao('issue', 'edit', '1', '--add-label', HOSTILE.replaceAll(/[,\n]/g, ' ').slice(0, 90))
  session = spawn(
    '--prompt',
    [`say ${HOSTILE} ${LINKS} ${ANSI}`, `think ${HOSTILE}`, `tool ${HOSTILE}`, 'sh ./hostile.sh 2>&1'].join('\n'),
  )
  const raw = { title: HOSTILE, kind: 'execute', rawInput: { command: `echo ${HOSTILE} ${ANSI}` } }
  asking = spawn('--prompt', `ask-raw ${JSON.stringify(raw)}`)
  foreign = []
  const own = new URL(world.page.url()).host
  world.page.on('request', (request) => {
    const { host, protocol } = new URL(request.url())
    if (protocol.startsWith('http') && host !== own) foreign.push(request.url())
  })
  world.page.on('dialog', (dialog) => {
    foreign.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await world.goto('/')
  const link = world.page.locator(`[data-card="${session}"] a[href*="/pull/"]`).first()
  pull = Number(/\d+$/.exec((await link.getAttribute('href'))!)![0])
}, 120_000)
afterAll(() => endsWell(world))

/** Texts and labels of the page with a character that cannot be seen, or that turns others around. */
function unseen(): string[] {
  const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u3164]/u
  const found: string[] = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node instanceof Element ? node : node.parentElement!
    const path = `${element.tagName.toLowerCase()}.${element.className}`.slice(0, 80)
    if (node instanceof Text && hidden.test(node.data)) found.push(`${path}: ${JSON.stringify(node.data.slice(0, 60))}`)
    if (!(node instanceof Element)) continue
    for (const name of ['title', 'aria-label', 'alt', 'placeholder', 'value'])
      if (hidden.test(node.getAttribute(name) ?? '')) found.push(`${path} ${name}`)
    const href = node.getAttribute('href') ?? node.getAttribute('src') ?? ''
    if (/^\s*(?:javascript|data|vbscript):/i.test(href)) found.push(`${path} leads to ${href.slice(0, 40)}`)
  }
  if (hidden.test(document.title)) found.push(`the tab: ${document.title}`)
  return found
}

const PAGES = [
  ['the board', () => '/'],
  ['the table', () => '/?view=table'],
  ['the queue', () => '/queue'],
  ['the conversation', () => `/sessions/${session}`],
  ['a request', () => `/sessions/${asking}`],
  ['the changes', () => `/sessions/${session}?tab=changes`],
  ['the timeline', () => `/sessions/${session}?tab=timeline`],
  ['the messages', () => `/sessions/${asking}?tab=messages`],
  ['the details', () => `/sessions/${session}?tab=details`],
  ['pull requests', () => '/pulls'],
  ['a pull request', () => `/projects/sample/pull/${pull}`],
  ['its files', () => `/projects/sample/pull/${pull}?tab=files`],
  ['issues', () => '/issues'],
  ['an issue', () => '/projects/sample/issues/1'],
  ['the radar', () => '/radar'],
] as const

it.each(PAGES)('is harmless on %s', async (_name, path) => {
  keepPicture(world)
  const { page } = world
  await world.goto(path())
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page
    .getByText(/U\+202E/)
    .first()
    .waitFor()
  // The renderer of Markdown and the rest of a page come a moment later.
  await page.waitForLoadState('networkidle')
  expect(await page.evaluate(unseen)).toEqual([])
  expect(foreign).toEqual([])
})

it('is harmless in the palette', async () => {
  keepPicture(world)
  const { page } = world
  await world.goto('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Go to' }).fill('Pull')
  await page
    .getByRole('option', { name: /^#\d+ Pull .*U\+202E/ })
    .first()
    .waitFor()
  expect(await page.evaluate(unseen)).toEqual([])
  expect(foreign).toEqual([])
})
