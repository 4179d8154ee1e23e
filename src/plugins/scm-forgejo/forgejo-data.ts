// Forgejo's REST responses about pull requests: only the fields that are read here.
import type { ForgejoUser } from '../forgejo-api/people.ts'

interface ForgejoBranch {
  ref: string
  sha: string
  repo_id: number
}

export interface ForgejoPull {
  number: number
  html_url: string
  title: string
  state: 'open' | 'closed'
  draft?: boolean
  labels?: Array<{ name: string }> | null
  merged: boolean
  /** Also false while it is not computed yet. */
  mergeable: boolean
  merge_commit_sha: string | null
  head: ForgejoBranch
  base: ForgejoBranch
  user: ForgejoUser | null
  requested_reviewers?: ForgejoUser[] | null
  assignees?: ForgejoUser[] | null
  body?: string | null
  created_at?: string
  updated_at: string
  closed_at?: string | null
  merged_at?: string | null
}

export interface ForgejoStatus {
  id: number
  context: string
  status: string
  target_url: string
}

export interface ForgejoReview {
  id: number
  user: ForgejoUser | null
  state: string
  body: string
  commit_id: string
  submitted_at: string
  dismissed?: boolean
  comments_count?: number
}

export interface ForgejoReviewComment {
  id: number
  user: ForgejoUser | null
  body: string
  path: string
  position?: number
  original_position?: number
  /** The commit that the position is in. */
  commit_id?: string
  html_url: string
  /** Who resolved it. */
  resolver: ForgejoUser | null
  created_at: string
}

export interface ForgejoComment {
  id: number
  user: ForgejoUser | null
  body: string
  html_url: string
  created_at: string
}

/** In the history of an issue or a pull request. */
export interface ForgejoEvent {
  type: string
  created_at: string
}
