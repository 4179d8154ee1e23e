import { describe, expect, it } from 'vitest'
import { FORGES } from '../../contract/forges.ts'
import { chooseToken } from './choose-token.ts'

const GITHUB = 'https://api.github.com'
const OWN = 'https://git.example.org/api/v3'
const GHE = 'https://api.acme.ghe.com'
const GITLAB = 'https://gitlab.com/api/v4'
const CODEBERG = 'https://codeberg.org/api/v1'
const HOME = 'http://git.home.example:3000/api/v1'
const CORP = 'https://gitlab.corp.example/api/v4'

type Row = [plugin: string, apiUrl: string, env: Record<string, string>, agreed: boolean, token: string | null]

describe('the token for an address', () => {
  it.each<Row>([
    ['github', GITHUB, { GITHUB_TOKEN: 'a', GH_TOKEN: 'b' }, false, 'a'],
    ['github', GITHUB, { GITHUB_TOKEN: ' ', GH_TOKEN: ' b\n' }, false, 'b'],
    ['github', GITHUB, { GH_ENTERPRISE_TOKEN: 'c' }, false, null],
    ['github', GITHUB, { GITHUB_TOKEN: 'a', GH_HOST: 'git.example.org' }, false, 'a'],
    ['github', GITHUB, { GITHUB_TOKEN: 'a', GH_HOST: 'acme.ghe.com' }, false, null],
    ['github', GHE, { GITHUB_TOKEN: 'a' }, false, null],
    ['github', GHE, { GITHUB_TOKEN: 'a' }, true, 'a'],
    ['github', GHE, { GITHUB_TOKEN: 'a', GH_HOST: 'acme.ghe.com' }, false, 'a'],
    ['github', GHE, { GITHUB_TOKEN: 'a', GH_HOST: 'other.ghe.com' }, false, null],
    ['github', OWN, { GITHUB_TOKEN: 'a', GH_TOKEN: 'b' }, true, null],
    ['github', OWN, { GITHUB_TOKEN: 'a', GH_HOST: 'git.example.org' }, false, null],
    ['github', OWN, { GITHUB_TOKEN: 'a', GH_ENTERPRISE_TOKEN: 'c' }, true, 'c'],
    ['github', OWN, { GH_ENTERPRISE_TOKEN: 'c' }, false, null],
    ['github', OWN, { GH_ENTERPRISE_TOKEN: 'c', GH_HOST: 'git.example.org' }, false, 'c'],
    ['github', OWN, { GH_ENTERPRISE_TOKEN: 'c', GH_HOST: 'other.example.org' }, true, null],
    ['github', OWN, { GITHUB_TOKEN: 'a', GITHUB_API_URL: OWN }, false, 'a'],
    ['github', 'http://api.github.com', { GITHUB_TOKEN: 'a' }, true, null],
    ['github', 'https://api.github.com.evil.example', { GITHUB_TOKEN: 'a', GH_ENTERPRISE_TOKEN: 'c' }, false, null],
    ['github', 'http://127.0.0.1:4001', { GITHUB_TOKEN: 'a' }, true, 'a'],
    // An agent can change the remote and listen on this machine.
    ['github', 'http://127.0.0.1:4001/api/v3', { GITHUB_TOKEN: 'a', GH_ENTERPRISE_TOKEN: 'c' }, false, null],
    ['gitlab', GITLAB, { GITLAB_TOKEN: 't' }, false, 't'],
    ['gitlab', GITLAB, { GITLAB_TOKEN: 't', GITLAB_HOST: 'gitlab.corp.example' }, false, null],
    ['gitlab', GITLAB, { GITLAB_TOKEN: 't', GITLAB_HOST: 'gitlab.corp.example' }, true, null],
    ['gitlab', CORP, { GITLAB_TOKEN: 't' }, false, null],
    ['gitlab', CORP, { GITLAB_TOKEN: 't' }, true, null],
    ['gitlab', CORP, { GITLAB_TOKEN: 't', GITLAB_HOST: 'https://gitlab.corp.example/' }, false, 't'],
    ['gitlab', CORP, { GITLAB_TOKEN: 't', CI_SERVER_HOST: 'gitlab.corp.example' }, false, 't'],
    ['gitlab', CORP, { GITHUB_TOKEN: 'a' }, true, null],
    ['gitlab', 'http://gitlab.com/api/v4', { GITLAB_TOKEN: 't' }, true, null],
    ['forgejo', CODEBERG, { FORGEJO_TOKEN: 'f' }, false, 'f'],
    ['forgejo', CODEBERG, { FORGEJO_TOKEN: 'f', FORGEJO_HOST: 'git.home.example' }, false, null],
    ['forgejo', 'https://git.home.example/api/v1', { FORGEJO_TOKEN: 'f' }, false, null],
    ['forgejo', 'https://git.home.example/api/v1', { GITEA_TOKEN: 'g', GITEA_HOST: 'git.home.example' }, false, 'g'],
    ['forgejo', HOME, { FORGEJO_TOKEN: 'f', FORGEJO_HOST: 'git.home.example:3000' }, false, null],
    ['forgejo', HOME, { FORGEJO_TOKEN: 'f', FORGEJO_HOST: 'http://git.home.example:3000' }, false, 'f'],
  ])('%s at %s with %j, agreed %j', (plugin, apiUrl, env, agreed, token) => {
    const choice = chooseToken({ forge: FORGES.find((row) => row.plugin === plugin)!, apiUrl, env, agreed })
    expect(choice.kind === 'token' ? choice.token : null).toBe(token)
    if (choice.kind === 'elsewhere') expect(choice.hint).toMatch(/_HOST=/)
  })
})
