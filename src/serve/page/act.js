// Actions on a study, and messages about it. Messages of the program name commands; here they have buttons instead.
import {button, count, say} from './dom.js';
import {post, studyPath} from './api.js';

// Calls the server, and shows its warnings, or why it refused. Returns null if it refused.
export async function act(study, operation, body, done) {
  try {
    const answer = await post(`${studyPath(study)}/${operation}`, body);
    for (const warning of answer.warnings ?? []) {
      const {text, buttons} = remedies(study, warning.message);
      say(`${warning.code}: ${text}`, true, buttons);
    }
    if (done) say(typeof done === 'function' ? done(answer) : done);
    return answer;
  } catch (error) {
    const {text, buttons} = remedies(study, error.message);
    say(text, true, buttons);
    return null;
  }
}

const verbs = {drop: ['Drop', 'no longer counts'], use: ['Use', 'counts again'], confirm: ['Confirm', 'is confirmed']};

// A button that drops, uses or confirms results, which it names as people do.
export function resultButton(study, verb, names) {
  const [text, done] = verbs[verb], named = names.length > 3 ? count(names.length, 'result') : names.join(', ');
  return button(`${text} ${named}`, async () => {
    for (const name of names) if (!await act(study, verb, {result: name}, `result ${name} ${done}`)) return;
  });
}

// The text of a message without its shell commands. The commands that choose among results become buttons.
export function remedies(study, message) {
  const found = new Map();
  for (const [, verb, list] of message.matchAll(/--(drop|use|confirm) (\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)/g)) found.set(verb + list, [verb, list.split(',')]);
  const text = message.replace(/:? ?(?:in a study with a file, )?fcps study check-model (?:'[^']*'|\S+)/g, ', under Model')
    .replace(/in a study with a file, /g, '').replace(/(?:fcps study )?amend (?:(?:'[^']*'|[^\s-]\S*) )?--/g, '').replace(/ --(drop|use|confirm|reward|bounds|limits)\b/g, ' $1');
  return {text, buttons: [...found.values()].map(([verb, names]) => resultButton(study, verb, names))};
}
