import { describeWorkspaceContract } from './workspace-suite.ts'

describeWorkspaceContract('worktree', '.worktrees')
describeWorkspaceContract('clone', '.ao-clones')
