// Something said about a line of a diff.
import type { ReactNode } from 'react'

export interface DiffComment {
  path: string
  /** A line of the new side. */
  line: number
  body: ReactNode
}
