"""A matrix: with a screen reader alone, with keys alone, on a narrow screen, right to left, and in a form."""

import unittest

from scene import STATE, Scene, survey

CARE = {"id": "care", "type": "matrix", "question": "How satisfied are you?",
        "rows": [{"id": "food", "label": "The food"}, {"id": "price", "label": "The price", "required": False},
                 {"id": "staff", "label": "The staff"}],
        "columns": [{"value": "bad", "label": "Not at all"}, "A little", {"value": "good", "label": "Very"}]}
VISIT = survey("visit", questions=[CARE, {"id": "why", "question": "Why?", "required": False, "when": "answer.care.food = bad"}])


class Matrix(Scene):
    def test_with_a_screen_reader_alone(self):
        daemon = self.daemon(VISIT)
        dialog = self.dialog(daemon, daemon.ask("visit"))
        dialog.wait_for_text("How satisfied are you?")
        self.assertFalse(dialog.is_sensitive("push button", "Submit") or dialog.is_sensitive("push button", "Next"))
        # Each row is a group of its own, whose name has both texts.
        group = dialog.first(lambda node: node.get_name() == "How satisfied are you? The food" and node.get_role_name() in ("panel", "grouping"))
        self.assertIsNotNone(group, dialog.tree())
        dialog.press("radio button", "The food: Not at all")
        dialog.wait_for_check("radio button", "The food: Not at all")
        dialog.press("radio button", "The staff: Very")
        dialog.wait_for_check("radio button", "The staff: Very")
        dialog.press("radio button", "The staff: A little")
        dialog.wait_for_check("radio button", "The staff: A little")
        self.assertFalse(dialog.is_checked("radio button", "The staff: Very"))
        # A choice in one row leaves the others alone.
        self.assertTrue(dialog.is_checked("radio button", "The food: Not at all"))
        dialog.press("push button", "Next")
        dialog.find("text", "Why?")
        dialog.press("push button", "Previous")
        dialog.wait_for_check("radio button", "The staff: A little")
        # A press while the page still turns goes nowhere.
        price = ("radio button", "The price: Very")
        dialog.until(lambda: dialog.is_checked(*price) or dialog.press(*price), "a choice on the page that came back")
        dialog.press("push button", "Next")
        dialog.write("Why?", "Cold")
        dialog.press("push button", "Submit")
        self.assert_ends(dialog)
        self.assertEqual(
            daemon.answers(), {"care.food": "bad", "care.price": "good", "care.staff": "A little", "why": "Cold"})

    def test_with_keys_alone(self):
        daemon = self.daemon(VISIT)
        dialog = self.dialog(daemon, daemon.ask("visit"))
        dialog.find("radio button", "The food: Very")
        dialog.focus()
        # Enter goes to the next row, and chooses nothing there.
        dialog.keys("3", "Return")
        dialog.wait_for_check("radio button", "The food: Very")
        dialog.keys("2")
        dialog.wait_for_check("radio button", "The price: A little")
        self.assertTrue(dialog.is_checked("radio button", "The food: Very"))
        # Tab goes there too, and arrows choose within a row.
        dialog.keys("Tab", "Right", "Right")
        dialog.until(lambda: any(dialog.is_checked("radio button", f"The staff: {word}") for word in ("A little", "Very")), "a choice")
        dialog.keys("1")
        dialog.wait_for_check("radio button", "The staff: Not at all")
        dialog.keys("Return")
        self.assert_ends(dialog)
        self.assertEqual(daemon.answers(), {"care.food": "good", "care.price": "A little", "care.staff": "bad"})

    def test_right_to_left_the_first_column_is_at_the_right(self):
        daemon = self.daemon(dict(VISIT, title="كيف حالك؟", message="أخبرنا."))
        dialog = self.dialog(daemon, daemon.ask("visit"))
        first, last = (dialog.left_edge("radio button", f"The food: {word}") for word in ("Not at all", "Very"))
        self.assertGreater(first, last)

    def test_many_columns_are_lists(self):
        columns = [f"Column {number}" for number in range(12)]
        daemon = self.daemon(survey("wide", questions=[dict(CARE, columns=columns)]))
        dialog = self.dialog(daemon, daemon.ask("wide"))
        for row in ("food", "price", "staff"):
            dialog.press("radio button", f"The {row}: Column 11")
        dialog.press("push button", "Submit")
        self.assert_ends(dialog)
        self.assertEqual(set(daemon.answers().values()), {"Column 11"})

    def test_a_form_has_a_page_for_each_row_below_the_question(self):
        daemon = self.daemon(forms=[{"id": "f", "title": "A form", "questions": [CARE]}])
        dialog = self.dialog(daemon, "--form", "f", "--user", "ada")
        dialog.press("push button", "Start")
        for row, place in (("food", 1), ("price", 2), ("staff", 3)):
            dialog.find("label", f"{place} of 3")
            dialog.wait_for_text("How satisfied are you?")
            dialog.press("radio button", f"The {row}: Very")
            dialog.press("push button", "Next" if place < 3 else "Finish")
        dialog.wait_for_text("Everything Is Answered")
        progress = daemon.call("form.progress", formId="f", userId="ada")["form"]
        self.assertEqual(progress["answers"], {"care.food": "good", "care.price": "good", "care.staff": "good"})


if __name__ == "__main__":
    unittest.main()
