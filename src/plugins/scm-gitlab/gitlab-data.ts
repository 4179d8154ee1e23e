// GitLab's REST responses about merge requests: only the fields that are read here.
import type { GitlabUser } from '../gitlab-api/people.ts'

export interface GitlabPipeline {
  id: number
  project_id: number
  sha: string
  ref: string
  status: string
}

export interface GitlabMergeRequest {
  iid: number
  web_url: string
  title: string
  state: 'opened' | 'closed' | 'merged' | 'locked'
  draft?: boolean
  labels?: string[]
  source_branch: string
  target_branch: string
  source_project_id: number | null
  target_project_id: number
  /** The head of the source branch. */
  sha: string | null
  merge_status?: string
  detailed_merge_status?: string
  has_conflicts?: boolean
  head_pipeline?: GitlabPipeline | null
  merge_commit_sha?: string | null
  squash_commit_sha?: string | null
  description?: string | null
  assignees?: GitlabUser[] | null
  reviewers?: GitlabUser[] | null
  created_at?: string
  updated_at: string
  merged_at?: string | null
  closed_at?: string | null
  author?: GitlabUser | null
}

export interface GitlabJob {
  id: number
  name: string
  status: string
  allow_failure: boolean
  web_url: string
  /** With its project. */
  pipeline: { project_id: number }
}

export interface GitlabApprovals {
  approved?: boolean
  approvals_left?: number
  approved_by: Array<{ user: GitlabUser; approved_at?: string }>
}

export interface GitlabReviewer {
  user: GitlabUser
  state: string
  created_at: string
}

/** Of one file. */
export interface GitlabDiff {
  old_path: string
  new_path: string
  diff: string
}

export interface GitlabVersion {
  head_commit_sha: string
  base_commit_sha: string
  start_commit_sha: string
  created_at: string
}

export interface GitlabNote {
  id: number
  type: string | null
  body: string
  author: GitlabUser | null
  created_at: string
  system: boolean
  resolvable: boolean
  resolved?: boolean
  position?: {
    head_sha?: string
    new_path?: string
    old_path?: string
    new_line?: number | null
    old_line?: number | null
    line_range?: { start?: { new_line?: number | null } | null } | null
  } | null
}

export interface GitlabDiscussion {
  id: string
  notes: GitlabNote[]
}
