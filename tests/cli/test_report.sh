# SPDX-License-Identifier: Apache-2.0
# `fcps study report` writes one page that needs no other file, of a young study and of an older one. No text of a study
# becomes markup.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
cat >p.yaml <<'YAML'
name: "<b>pour</b>"
target: {x: {range: [0, 1], unit: "<i>m</i>"}}
parameters: {a: [0, 1]}
outcome: [o]
achieved: {x: o}
reward: "-distance"
YAML
"$fcps" study new s.fcps --problem p.yaml >/dev/null
expect 0 'wrote young.html' "$fcps" study report s.fcps -o young.html
grep -q '&lt;b&gt;pour&lt;/b&gt;' young.html || complain 'the name is not in the page'

evil='<script>alert(1)</script>"&'
for a in 0.1 0.3 0.5 0.7 0.9 0.2; do
  "$fcps" study tell s.fcps --target x=0.5 --executed a=$a --outcome o=$a --client "$evil" --key "k$a" >/dev/null
done
"$fcps" study tell s.fcps --target x=0.5 --executed a=0.4 --failed "$evil" >/dev/null
"$fcps" study amend s.fcps --reward '-distance - 0.1*a' >/dev/null
expect 0 'wrote page.html' "$fcps" study report s.fcps -o page.html
[ "$(grep -c '<tr.*<th>' page.html)" -ge 7 ] || complain 'results are missing'
grep -q '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;' page.html || complain 'the message is not in the page'
recipes=$(sed -n '/<h2>Recipes/,/<.section>/p' page.html)
[ "$(echo "$recipes" | grep -c '^<tr><td>')" -eq 12 ] || complain "not a dozen recipes: $recipes"
grep -q '0.1\*a' page.html || complain 'the amendment is not in the page'
grep -q "default-src 'none'" page.html || complain 'the page may load something'
for page in young.html page.html; do
  ! grep -qE '<script|<b>pour|<i>m|https?://|src="[^d]' "$page" || complain "$page: markup of a user, or something that it loads"
done
if command -v gnuplot >/dev/null; then
  [ "$(grep -c 'data:image/svg' page.html)" -eq 2 ] || complain 'figures are missing'
fi

# words stay words
printf 'target: {w: [tall, wide]}\nparameters: {a: [0, 1], drum: [round, flat]}\noutcome: [o]\nreward: "-(o - (w == tall ? 0 : 1))^2"\n' >w.yaml
"$fcps" study new w.fcps --problem w.yaml >/dev/null
for a in 0.1 0.3 0.5 0.7 0.9 0.2; do
  "$fcps" study tell w.fcps --target w=wide --executed a=$a,drum=flat --outcome o=$a --key "k$a" >/dev/null
done
expect 0 'wrote words.html' "$fcps" study report w.fcps -o words.html
sed -n '/<h2>Recipes/,/<.section>/p' words.html | grep -qE '^<tr><td>(tall|wide)</td><td>[-0-9.e]*</td><td>(round|flat)</td>' || complain 'recipes lack words'
sed -n '/<h2>Results/,/<.section>/p' words.html | grep -q '<td>wide</td><td>0.9</td><td>flat</td>' || complain 'results lack words'

expect 2 'FILE.html' "$fcps" study report s.fcps
expect 2 'FILE.html' "$fcps" study report s.fcps -o page.txt
expect 4 'E_' "$fcps" study report none.fcps -o none.html
[ ! -e none.html ] || complain 'a page was written without a study'
# no folder is left behind; those of other tests, which run at the same time, are soon gone
for folder in $(find /tmp -maxdepth 1 -name 'fcps-report-*' -user "$(id -un)" -newer young.html 2>/dev/null); do
  for _ in $(seq 300); do [ -e "$folder" ] || break; sleep 0.2; done
  [ ! -e "$folder" ] || complain "$folder is left behind"
done
exit $failed
