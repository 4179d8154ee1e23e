// What a machine can check of accessibility, on the page as it is now.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Rules of WCAG that a machine can check; serious and critical ones fail the test. */
export async function seriousFindings(page: Page, only: string[] | null): Promise<string[]> {
  // Through the debugger, because the page's own policy runs no foreign script.
  const session = await page.context().newCDPSession(page)
  await session.send('Runtime.evaluate', { expression: AXE })
  const options = { resultTypes: ['violations'], ...(only && { runOnly: only }) }
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, ${JSON.stringify(options)}).then((found) => JSON.stringify(found))`,
    awaitPromise: true,
    returnByValue: true,
  })
  const { violations } = JSON.parse(result.value as string) as AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}
