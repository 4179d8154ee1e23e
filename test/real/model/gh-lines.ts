// Lines with gh as coding agents type them, in the order of a task: the issue, the pull request, its checks and its review.
// Used by name (`TASK:SHELL gh-07`), because a prompt with a shell line in it would be read differently by every agent.
const THREADS = `gh api graphql -f query='
query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      reviewThreads(first: 100) {
        nodes { id isResolved isOutdated path line comments(first: 20) { nodes { databaseId author { login } body } } }
      }
    }
  }
}'`

const LINES = [
  'gh auth status',
  'gh repo view --json nameWithOwner,defaultBranchRef',
  'gh issue view 1',
  'gh issue view 1 --json number,title,body,labels,comments,state',
  'gh issue list --state open --limit 30 --json number,title,labels',
  `printf 'bad\\nworse\\n' > answer.txt && git add answer.txt && git commit -q -m "$(cat <<'EOF'
Answer the question

Closes #1
EOF
)" && gh pr create --title "Answer the question" --body "$(cat <<'EOF'
## Summary
- Adds \`answer.txt\`

## Test plan
- [x] unit
EOF
)"`,
  'gh pr view --json number,url,state,title,headRefName,baseRefName,isDraft,mergeable,mergeStateStatus,reviewDecision',
  'gh pr checks 1 --watch --interval 1 || true',
  'gh pr checks 2>&1 | head -20',
  'gh pr view 1 --json statusCheckRollup --jq \'.statusCheckRollup[] | "\\(.name): \\(.conclusion)"\'',
  'gh run list --branch "$(git branch --show-current)" --limit 5 --json databaseId,name,status,conclusion,headSha',
  'gh run view 1 --log-failed 2>&1 | tail -40',
  'gh run view 1 --json status,conclusion,jobs',
  'gh pr status',
  // Here a person reviews it.
  'gh pr view 1 --comments',
  'gh pr view 1 --json reviews,reviewDecision,latestReviews',
  "gh api repos/{owner}/{repo}/pulls/1/comments --paginate --jq '.[] | {path, line, body, user: .user.login}'",
  "gh api repos/:owner/:repo/pulls/1/reviews --jq '.[].state'",
  `${THREADS} -F owner='{owner}' -F repo='{repo}' -F number=1 --jq '.data.repository.pullRequest.reviewThreads.nodes[] | select(.isResolved | not) | {path, line, by: .comments.nodes[0].author.login}'`,
  `id=$(gh api repos/{owner}/{repo}/pulls/1/comments --jq '.[0].id') && gh api --method POST "repos/{owner}/{repo}/pulls/1/comments/$id/replies" -f body='Done.' --jq .body`,
  `thread=$(${THREADS} -F owner='{owner}' -F repo='{repo}' -F number=1 --jq '.data.repository.pullRequest.reviewThreads.nodes[0].id') && gh api graphql -f query='mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }' -f id="$thread"`,
  `printf 'good\\n' > answer.txt && git commit -qam "Better" && gh pr comment 1 --body-file - <<'EOF'
It is better now.
EOF`,
  'gh pr edit 1 --add-label bug --title "Answer the question, better"',
  'gh pr checks 1 --watch --fail-fast',
  'gh pr diff 1 --name-only',
  'gh pr list --head "$(git branch --show-current)" --state all --json number,title,labels,state',
  'gh issue comment 1 --body "See #1"',
  'gh api user --jq .login',
  'gh api "repos/{owner}/{repo}/commits/$(git rev-parse HEAD)/check-runs" --jq \'.check_runs[] | "\\(.name) \\(.conclusion)"\'',
  'gh pr ready 1 --undo',
  'gh pr ready 1',
  'gh release list',
  'gh workflow run ci.yml',
  'gh secret list',
  'gh pr checks 1 --no-such-flag',
  'gh pr view 1 --json noSuchField',
  'gh pr view 99',
] as const

/** A person reviews the pull request before this one. */
export const REVIEWED_BEFORE = 'gh-14'

export const GH_LINES: Readonly<Record<string, string>> = Object.fromEntries(
  LINES.map((line, index) => [`gh-${String(index).padStart(2, '0')}`, line]),
)
