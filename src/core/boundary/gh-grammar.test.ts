import { expect, it } from 'vitest'
import { type CommandRow, type FlagRow, GH_GROUPS, GH_OWN_FLAGS, GH_ROOT_FLAGS, GH_SINGLE } from './gh-grammar.ts'

/** `,x`: its short form; `+`: may be given several times; `as`: what it becomes. Of a command: who may, and what its word names. */
const ALLOWED = `
pr: ls is list; new is create; repo,R=text as repository
pr create: create none; body,b=text as body; body-file,F=text as body-file; title,t=text; base,B=branch;
  head,H=own-branch; draft,d; fill,f as fill; fill-first as fill; fill-verbose as fill; dry-run; no-maintainer-edit;
  assignee,a=names+; label,l=names+; reviewer,r=names+; milestone,m=text; project,p=names+; template,T=text refused
  (home reads no file for a place; give the text with --body or --body-file); recover=text refused (home reads no file
  for a place; give the text with --body or --body-file); editor,e refused (no editor is opened at home); web,w refused
  (no browser is opened at home)
pr view: read pull; json=fields as json; jq,q=text as jq; template,t=text refused (use --jq); comments,c; web,w refused
  (no browser is opened at home)
pr list: read none; json=fields as json; jq,q=text as jq; template,t=text refused (use --jq); app=name; assignee,a=name;
  author,A=name; label,l=names+; limit,L=count; search,S=search; web,w refused (no browser is opened at home);
  state,s=open|closed|merged|all; base,B=branch; head,H=branch; draft,d
pr status: read none; json=fields as json; jq,q=text as jq; template,t=text refused (use --jq); conflict-status,c
pr checks: read pull; json=fields as json; jq,q=text as jq; template,t=text refused (use --jq); watch; fail-fast;
  required; interval,i=count; web,w refused (no browser is opened at home)
pr diff: read pull; color=always|never|auto; name-only; patch; web,w refused (no browser is opened at home)
pr comment: comment pull; body,b=text as body; body-file,F=text as body-file; edit-last refused (it may be a comment of
  yours); editor,e refused (no editor is opened at home); web,w refused (no browser is opened at home)
pr review: comment pull; body,b=text as body; body-file,F=text as body-file; approve,a refused (home has one account for
  you and your agents, so an approval would be yours; a person approves); request-changes,r; comment,c
pr edit: change pull; body,b=text as body; body-file,F=text as body-file; add-assignee=names+; add-label=names+;
  remove-assignee=names+; remove-label=names+; milestone,m=text; remove-milestone; add-project=names+;
  remove-project=names+; title,t=text; base,B=branch; add-reviewer=names+; remove-reviewer=names+
pr ready: change pull; undo
pr close: change pull; comment,c=text; delete-branch,d
pr reopen: change pull; comment,c=text
pr merge: change pull; body,b=text as body; body-file,F=text as body-file; merge,m; squash,s; rebase,r; auto;
  disable-auto; delete-branch,d; match-head-commit=commit; subject,t=text; author-email,A=text refused (commits have the
  identity of your account); admin refused (a session in a place does not merge past the rules of the repository; a
  person does that)
issue: ls is list; new is create; repo,R=text as repository
issue view: read a issue; json=fields as json; jq,q=text as jq; template,t=text refused (use --jq); comments,c; web,w
  refused (no browser is opened at home)
issue list: read none; json=fields as json; jq,q=text as jq; template,t=text refused (use --jq); app=name;
  assignee,a=name; author,A=name; label,l=names+; limit,L=count; search,S=search; web,w refused (no browser is opened at
  home); state,s=open|closed|all; mention=name; milestone,m=name
issue status: read none; json=fields as json; jq,q=text as jq; template,t=text refused (use --jq)
issue create: create none; body,b=text as body; body-file,F=text as body-file; title,t=text; assignee,a=names+;
  label,l=names+; milestone,m=text; project,p=names+; template,T=text refused (home reads no file for a place; give the
  text with --body or --body-file); recover=text refused (home reads no file for a place; give the text with --body or
  --body-file); editor,e refused (no editor is opened at home); web,w refused (no browser is opened at home)
issue comment: comment a issue; body,b=text as body; body-file,F=text as body-file; edit-last refused (it may be a
  comment of yours); editor,e refused (no editor is opened at home); web,w refused (no browser is opened at home)
issue edit: change a issue; body,b=text as body; body-file,F=text as body-file; add-assignee=names+; add-label=names+;
  remove-assignee=names+; remove-label=names+; milestone,m=text; remove-milestone; add-project=names+;
  remove-project=names+; title,t=text
issue close: change a issue; comment,c=text; reason,r=completed|not planned
issue reopen: change a issue; comment,c=text
run: ls is list; repo,R=text as repository
run list: read none; json=fields as json; jq,q=text as jq; template,t=text refused (use --jq); branch,b=branch;
  commit,c=commit; created=date; event,e=name; limit,L=count; status,s=name; user,u=name; workflow,w=name
run view: read run; json=fields as json; jq,q=text as jq; template,t=text refused (use --jq); exit-status; job,j=id;
  log; log-failed; verbose,v; web,w refused (no browser is opened at home)
label: ls is list; repo,R=text as repository
label list: read none; json=fields as json; jq,q=text as jq; template,t=text refused (use --jq); limit,L=count;
  order=asc|desc; search,S=search; sort=created|name; web,w refused (no browser is opened at home)
repo: 
repo view: read repository; json=fields as json; jq,q=text as jq; template,t=text refused (use --jq); branch,b=text
  refused (the files are in your workspace); web,w refused (no browser is opened at home)
auth: 
auth status: read none; hostname,h=text as host; active,a; show-token,t refused (the token stays at home)
api: read a route; method,X=text; field,F=text+; raw-field,f=text+; header,H=text+; hostname=text as host; jq,q=text as
  jq; template,t=text refused (use --jq); paginate; silent; include,i refused (only the body of an answer leaves home);
  input=text refused (gh api only reads for a session in a place; use gh pr, gh issue or ao pr reply to write);
  cache=text refused (nothing is kept at home for a place); preview,p=text refused (only stable parts of the API are
  requested)
gh: help as help; version
`

it('what a session in a place may ask of gh is exactly this', () => {
  const flag = ([name, { short, value, meaning, all, refused }]: [string, FlagRow]) => {
    const kind = value === 'switch' ? '' : `=${typeof value === 'string' ? value : value.join('|')}`
    const reason = refused ? ` refused (${refused})` : ''
    return `${name}${short ? `,${short}` : ''}${kind}${all ? '+' : ''}${meaning ? ` as ${meaning}` : ''}${reason}`
  }
  const flags = (rows: Readonly<Record<string, FlagRow>>) => Object.entries(rows).map(flag)
  const command = (name: string, { access, target, needsTarget, flags: own }: CommandRow) =>
    `${name}: ${[`${access} ${needsTarget ? 'a ' : ''}${target}`, ...flags(own)].join('; ')}`
  const groups = Object.entries(GH_GROUPS).flatMap(([group, { flags: own, commands, aliases }]) => [
    `${group}: ${[...Object.entries(aliases).map(([alias, name]) => `${alias} is ${name}`), ...flags(own)].join('; ')}`,
    ...Object.entries(commands).map(([name, row]) => command(`${group} ${name}`, row)),
  ])
  const single = Object.entries(GH_SINGLE).map(([name, row]) => command(name, row))
  const allowed = [...groups, ...single, `gh: ${flags({ ...GH_ROOT_FLAGS, ...GH_OWN_FLAGS }).join('; ')}`]
  expect(allowed).toEqual(
    ALLOWED.trim()
      .replaceAll('\n  ', ' ')
      .split('\n')
      .map((line) => (line.endsWith(':') ? `${line} ` : line)),
  )
})
