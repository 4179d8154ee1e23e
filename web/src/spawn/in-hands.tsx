// Before a session starts: who is changing files that its task names. It prevents nothing.
import { useDeferredValue } from 'react'
import { useAnswer } from '../api/answered.tsx'
import { Icon } from '../ui/icon.tsx'

/** It goes into an address, and names of files come early. */
const LONGEST_PROMPT = 2_000

interface Props {
  projectId: string
  prompt: string
  issueId: string | undefined
}

export function InHands({ projectId, prompt, issueId }: Props) {
  const text = useDeferredValue(prompt.slice(0, LONGEST_PROMPT).trim())
  // Apart, so that an issue is fetched once and not with every letter.
  const ofIssue = useWarnings(projectId, { issue: issueId })
  const ofPrompt = useWarnings(projectId, { prompt: text || undefined })
  const warnings = [...new Set([...ofIssue, ...ofPrompt])]
  if (warnings.length === 0) return null
  return (
    <ul role="status" className="flex flex-col gap-1 rounded-md bg-attention-soft px-3 py-2 text-sm text-attention">
      {warnings.map((warning) => (
        <li key={warning} className="flex items-start gap-2">
          <Icon name="radar" className="mt-0.5 shrink-0" />
          {warning}
        </li>
      ))}
    </ul>
  )
}

function useWarnings(projectId: string, query: { issue?: string | undefined; prompt?: string | undefined }): string[] {
  const { data } = useAnswer(
    ['in-hands', projectId, query],
    'GET /api/projects/:project/in-hands',
    { params: { project: projectId }, query },
    { enabled: projectId !== '' && (query.issue ?? query.prompt) !== undefined },
  )
  return data?.warnings ?? []
}
