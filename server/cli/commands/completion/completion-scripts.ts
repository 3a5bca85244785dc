/** Completion scripts per shell. They are static, so that completing does not start queuectl. */

export interface Node {
  /** Names of the commands from the root to this one. */
  readonly path: readonly string[]
  readonly words: readonly { readonly word: string; readonly description: string }[]
}

export function bashScript(nodes: readonly Node[]): string {
  return `# bash completion for queuectl
_queuectl() {
  local word path=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      ${paths(nodes)
        .map((path) => `' ${path}'`)
        .join('|')}) path="$path $word" ;;
    esac
  done
  case "$path" in
${nodes.map(({ path, words }) => `    '${path.map((one) => ` ${one}`).join('')}') COMPREPLY=($(compgen -W '${list(words)}' -- "\${COMP_WORDS[COMP_CWORD]}")) ;;`).join('\n')}
  esac
}
complete -o default -F _queuectl queuectl
`
}

export function zshScript(nodes: readonly Node[]): string {
  return `#compdef queuectl
_queuectl() {
  local word path=''
  local -a found
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    case "$path $word" in
      ${paths(nodes)
        .map((path) => `' ${path}'`)
        .join('|')}) path="$path $word" ;;
    esac
  done
  case "$path" in
${nodes.map(({ path, words }) => `    '${path.map((one) => ` ${one}`).join('')}') found=(${described(words)}) ;;`).join('\n')}
  esac
  _describe 'queuectl' found || _files
}
if [ "$funcstack[1]" = '_queuectl' ]; then _queuectl "$@"; else compdef _queuectl queuectl; fi
`
}

export function fishScript(nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ path, words }) =>
    words.map(({ word, description }) => {
      const name = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`
      return `complete -c queuectl -n '__queuectl_at ${path.join(' ')}' ${name} -d ${quoted(description)}`
    }),
  )
  return `# fish completion for queuectl
function __queuectl_at
  set -l path
  for word in (commandline -opc)[2..-1]
    if contains -- (string join ' ' $path $word) ${paths(nodes)
      .map((path) => quoted(path))
      .join(' ')}
      set path $path $word
    end
  end
  test "$path" = "$argv"
end
${lines.join('\n')}
`
}

function paths(nodes: readonly Node[]): readonly string[] {
  return nodes.filter(({ path }) => path.length > 0).map(({ path }) => path.join(' '))
}

function list(words: Node['words']): string {
  return words.map(({ word }) => word).join(' ')
}

function described(words: Node['words']): string {
  return words.map(({ word, description }) => quoted(`${word}:${description.replaceAll(':', '\\:')}`)).join(' ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
