import { it } from 'vitest'
import { createBrowserWorld } from './browser-world.ts'
it('csp', async () => {
  const world = await createBrowserWorld()
  world.ao('spawn', world.issue('Wait for words', 'run sh -c "printf \'\\033[38;2;255;100;0mcolour\\033[0m\'"\nask Shall I begin?\nfinish Thank you.'))
  const page = world.page
  page.on('console', (m) => { if (m.type() === 'error' || m.type() === 'warning') console.log('CONSOLE', m.text().slice(0, 300)) })
  await page.route('**/*', async (route) => {
    if (route.request().url().includes('/api/')) return route.continue()
    const r = await route.fetch()
    const h = r.headers()
    h['content-security-policy'] = h['content-security-policy'] + "; require-trusted-types-for 'script'; trusted-types 'none'"
    await route.fulfill({ response: r, headers: h })
  })
  for (const p of ['/', '/sessions/sam-1', '/pulls', '/issues', '/observability', '/feedback', '/archive', '/settings']) {
    await world.goto(p)
    await new Promise((r) => setTimeout(r, 1500))
    console.log('PAGE', p, (await page.textContent('body'))?.slice(0, 80).replace(/\s+/g, ' '))
    if (p.startsWith('/sessions')) await page.screenshot({ path: '/tmp/csp-session.png' })
  }
  console.log('problems', world.problems)
  await world.cleanup()
}, 180_000)
