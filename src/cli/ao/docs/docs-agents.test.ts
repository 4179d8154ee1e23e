import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { AGENT_TABLE } from '../../../contract/agents/agent-table.ts'
import { AGENTS_BEGIN, AGENTS_END, renderAgents } from './docs-agents.ts'

it('docs/agents.md has the table of agents; write it again with: node dist/ao.js __docs agents', () => {
  const page = readFileSync(new URL('../../../../docs/agents.md', import.meta.url), 'utf8')
  const written = page.slice(page.indexOf(AGENTS_BEGIN), page.indexOf(AGENTS_END) + AGENTS_END.length)
  expect(written).toBe(renderAgents())
})

it.each(AGENT_TABLE.filter(({ verified }) => verified !== null))('$title has a page of its own', ({ name }) => {
  expect(existsSync(new URL(`../../../../docs/agents/${name}.md`, import.meta.url))).toBe(true)
})
