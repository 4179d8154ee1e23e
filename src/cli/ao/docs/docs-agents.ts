// The table of docs/agents.md, from the table of agents. Pure.
import { AGENT_LIMITS, type AgentLimit } from '../../../contract/agents/agent-limits.ts'
import { AGENT_TABLE, type AgentRow, howToInstall } from '../../../contract/agents/agent-table.ts'

export const AGENTS_BEGIN =
  '<!-- Written by `ao __docs agents` from src/contract/agents/agent-table.ts; a test keeps it up to date. -->'
export const AGENTS_END = '<!-- The end of the generated part. -->'

export function renderAgents(): string {
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [
    AGENTS_BEGIN,
    '',
    row(['`agent:`', 'program', 'seen with', 'states from', 'resumes', 'over ACP', 'install']),
    row(['---', '---', '---', '---', '---', '---', '---']),
    ...AGENT_TABLE.map((agent) => row(cellsOf(agent))),
    '',
    'What these agents themselves cannot do, whatever ao does:',
    '',
    ...describeLimits(),
    '',
    AGENTS_END,
  ].join('\n')
}

function cellsOf(row: AgentRow): string[] {
  return [
    `\`${row.name}\``,
    `${row.title} (\`${row.program}\`)`,
    row.verified ?? 'not verified',
    row.terminal === 'own' || row.records ? 'its own files' : 'its screen',
    resumes(row),
    row.acp ? `\`${row.acp.join(' ')}\`` : '–',
    `\`${howToInstall(row).replaceAll('|', '\\|')}\``,
  ]
}

const WHERE: Readonly<Record<AgentLimit['where'], string>> = {
  terminal: ', in a terminal',
  acp: ', over ACP',
  everywhere: '',
}

/** Each limit once, with all agents that have it. */
function describeLimits(): string[] {
  const agents = new Map<string, string[]>()
  for (const { name, title } of AGENT_TABLE)
    for (const { where, reason } of AGENT_LIMITS[name] ?? []) {
      const limit = `${WHERE[where]}: ${reason}.`
      agents.set(limit, [...(agents.get(limit) ?? []), title])
    }
  return [...agents].map(([limit, titles]) => `- ${titles.join(', ')}${limit}`)
}

function resumes({ terminal, startsAfresh }: AgentRow): string {
  if (terminal === 'own') return startsAfresh ? 'no' : 'yes'
  if (!terminal.resume) return 'no'
  return terminal.chooseId ? 'yes' : 'the newest of its directory'
}
